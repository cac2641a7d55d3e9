/** Draws what agents did lately in a sandbox; below each action, on demand, what it said. */
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';
import type { ActionState, IAction } from './log';

interface IListProps {
  actions: readonly IAction[];
  trans: TranslationBundle;
}

export function ActivityList(props: IListProps): JSX.Element | null {
  const { actions, trans } = props;
  if (actions.length === 0) {
    return null;
  }
  return (
    <ol
      className="jp-Sandbook-Activity"
      aria-label={trans.__('What agents did lately')}
    >
      {actions.map(action => (
        <li key={action.id} data-state={action.state}>
          <Action action={action} trans={trans} />
        </li>
      ))}
    </ol>
  );
}

function Action(props: {
  action: IAction;
  trans: TranslationBundle;
}): JSX.Element {
  const { action, trans } = props;
  const line = (
    <>
      <span className="jp-Sandbook-Activity-mark" aria-hidden="true" />
      <code title={action.subject}>{firstLine(action)}</code>
      <span className="jp-Sandbook-Activity-state">
        {stateInWords(action, trans)}
      </span>
    </>
  );
  const title = trans.__('%1: %2', action.author, action.kind);
  if (!action.output) {
    return (
      <div className="jp-Sandbook-Activity-line" title={title}>
        {line}
      </div>
    );
  }
  return (
    <details>
      <summary className="jp-Sandbook-Activity-line" title={title}>
        {line}
      </summary>
      <pre>{action.output}</pre>
    </details>
  );
}

/** The first line of a command; what else is done goes before its path. */
export function firstLine({ kind, subject }: IAction): string {
  const line = subject.trim().split('\n', 1)[0];
  switch (kind) {
    case 'run':
      return line || '…';
    case 'run_ipython':
      return `>>> ${line}`;
    default:
      return `${kind} ${line}`;
  }
}

export function stateInWords(
  { state, exitCode }: Pick<IAction, 'state' | 'exitCode'>,
  trans: TranslationBundle
): string {
  const words: Record<ActionState, string> = {
    begun: trans.__('runs'),
    running: trans.__('still runs'),
    done: '',
    failed:
      exitCode === null ? trans.__('failed') : trans.__('exit %1', exitCode)
  };
  return words[state];
}
