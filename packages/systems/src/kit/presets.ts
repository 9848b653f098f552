/**
 * Formats of others, each as a user would describe it in `checkpoint-inspector.yaml`. `tried`: read from a store that the
 * original wrote; the others are from its schema.
 */
export const PRESETS: readonly { readonly tried: boolean; readonly text: string }[] = [
  {
    tried: false,
    // crewAI, crewai/flow/persistence/sqlite.py
    text: `
system: CrewAI
table: flow_states
task: flow_uuid
id: id
time: timestamp
name: method_name
state: state_json
order: [id]
volatile: [$.id]
copy: next
`,
  },
  {
    tried: false,
    // google/adk-python, google/adk/sessions/database_session_service.py
    text: `
system: Google ADK
table: events
task: session_id
id: id
time: timestamp
name: author
state: content
order: [timestamp]
collect: events
notes: [An event is what one turn added; the state of a session is in its own table.]
`,
  },
  {
    tried: true,
    // @google/adk 2.0.0, and google/adk-python since 1.22: the event as one JSON
    text: `
system: Google ADK
table: events
task: session_id
id: id
time: timestamp
name: event_data:$.author
error: event_data:$.error_message
state: event_data
order: [timestamp]
collect: events
notes: [An event is what one turn added; the state of a session is in its own table.]
`,
  },
  {
    tried: false,
    // block/goose, crates/goose/src/session/session_manager.rs
    text: `
system: Goose
table: messages
task: session_id
id: id
time: created_timestamp
name: role
state: content_json
order: [id]
collect: messages
`,
  },
  {
    tried: false,
    // openai/openai-agents-python, agents/memory/sqlite_session.py
    text: `
system: OpenAI Agents SDK (Python)
table: agent_messages
task: session_id
id: id
time: created_at
name: message_data:$.role
state: message_data
order: [id]
utc: true
collect: messages
`,
  },
  {
    tried: false,
    // dbos-inc/dbos-transact: migrations of the system database
    text: `
system: DBOS
table: operation_outputs
task: workflow_uuid
id: function_id
step: function_id
name: function_name
error: error
state: output
order: [function_id]
notes: [A row has what one step gave back; workflow_status tells how its workflow ended.]
`,
  },
  {
    tried: true,
    // @strands-agents/sdk 1.16.0, session/file-storage: the newest is also its own file, which a session resumes from
    text: `
system: Strands Agents
files: '*/scopes/*/*/snapshots/**/snapshot_*.json'
task: '{1}/{4}'
id: '{file}'
time: $.createdAt
state: $.data
`,
  },
  {
    tried: false,
    // strands-agents/sdk-python, strands/session/file_session_manager.py
    text: `
system: Strands Agents
files: session_*/agents/agent_*/messages/message_*.json
task: '{folder}'
id: '{file}'
time: $.created_at
name: $.message.role
state: $.message
collect: messages
`,
  },
  {
    tried: true,
    // @ai-sdk/devtools 1.0.22: .devtools/generations.json
    text: `
system: AI SDK devtools
files: .devtools/generations.json
each: $.steps
task: $.run_id
id: $.id
step: $.step_number
time: $.started_at
name: $.type
error: $.error
`,
  },
];
