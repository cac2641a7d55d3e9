/** What agents did lately in each sandbox, from the server's events; pure. */

/** The id of the events that tell of agents. */
export const ACTION_EVENT = 'urn:sandbook:events:action';

/** How many actions of a sandbox are remembered. */
export const KEPT = 20;

export type ActionState = 'begun' | 'done' | 'failed' | 'running';

/** One action of an agent, as far as it is. */
export interface IAction {
  id: string;
  author: string;
  /** What is done, as OpenHands names it. */
  kind: string;
  /** The command, the code or the path. */
  subject: string;
  state: ActionState;
  exitCode: number | null;
  /** The end of what it said. */
  output: string;
}

/** The actions of each sandbox, the latest first. */
export type ActionLog = ReadonlyMap<string, readonly IAction[]>;

/** Put an event into the log; anything else than one of ours leaves it as it is. */
export function withEvent(
  log: ActionLog,
  event: Record<string, unknown>
): ActionLog {
  if (event['schema_id'] !== ACTION_EVENT) {
    return log;
  }
  const sandboxId = String(event['sandbox_id']);
  const action = actionFrom(event);
  const known = log.get(sandboxId) ?? [];
  const isNews = known.some(({ id }) => id === action.id);
  const actions = isNews
    ? known.map(other => (other.id === action.id ? action : other))
    : [action, ...known].slice(0, KEPT);
  return new Map([...log, [sandboxId, actions]]);
}

function actionFrom(event: Record<string, unknown>): IAction {
  const { exit_code: exitCode } = event;
  return {
    id: String(event['action_id']),
    author: String(event['author']),
    kind: String(event['action']),
    subject: String(event['subject']),
    state: event['state'] as ActionState,
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    output: String(event['output'] ?? '')
  };
}
