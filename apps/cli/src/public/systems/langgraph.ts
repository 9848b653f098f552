/** `checkpoint-inspector/systems/langgraph`: the SQLite files of LangGraph's savers as a system. */
export { langgraphSystem } from '@checkpoint-inspector/systems/langgraph';
