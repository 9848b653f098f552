/** `checkpoint-inspector/langgraph`: a checkpointer of LangGraph over our own stores. */
export { CheckpointInspectorSaver } from '@checkpoint-inspector/stores/langgraph';
