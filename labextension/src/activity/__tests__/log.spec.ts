/** Events in, what the panel shows out. */
import { nullTranslator } from '@jupyterlab/translation';
import { describe, expect, it } from 'vitest';
import { firstLine, stateInWords } from '../list';
import { ACTION_EVENT, type ActionLog, KEPT, withEvent } from '../log';

const trans = nullTranslator.load('sandbook');
const EMPTY: ActionLog = new Map();

function event(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    schema_id: ACTION_EVENT,
    sandbox_id: 's',
    author: 'Agent',
    action_id: 'a',
    action: 'run',
    subject: 'make\nmake test',
    state: 'begun',
    ...more
  };
}

describe('withEvent', () => {
  it('puts the latest action first, apart for each sandbox', () => {
    let log = withEvent(EMPTY, event());
    log = withEvent(log, event({ action_id: 'b' }));
    log = withEvent(log, event({ action_id: 'c', sandbox_id: 't' }));

    expect(log.get('s')?.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(log.get('t')?.map(({ id }) => id)).toEqual(['c']);
  });

  it('lets the end of an action take the place of its beginning', () => {
    let log = withEvent(EMPTY, event());
    log = withEvent(log, event({ action_id: 'b' }));
    log = withEvent(
      log,
      event({ state: 'failed', exit_code: 2, output: 'no' })
    );

    expect(log.get('s')?.map(({ state }) => state)).toEqual([
      'begun',
      'failed'
    ]);
    expect(log.get('s')?.[1]).toMatchObject({ exitCode: 2, output: 'no' });
  });

  it('forgets the oldest', () => {
    let log = EMPTY;
    for (let number = 0; number < KEPT + 5; number++) {
      log = withEvent(log, event({ action_id: String(number) }));
    }

    expect(log.get('s')).toHaveLength(KEPT);
    expect(log.get('s')?.[0].id).toBe(String(KEPT + 4));
  });

  it('passes over what others tell', () => {
    expect(withEvent(EMPTY, event({ schema_id: 'other' }))).toBe(EMPTY);
  });
});

describe('words', () => {
  const [action] = withEvent(EMPTY, event()).get('s') ?? [];

  it('shows the first line of a command', () => {
    expect(firstLine(action)).toBe('make');
    expect(firstLine({ ...action, subject: '' })).toBe('…');
  });

  it('says what is done with a path, and that code is Python', () => {
    expect(firstLine({ ...action, kind: 'edit', subject: '/a' })).toBe(
      'edit /a'
    );
    expect(firstLine({ ...action, kind: 'run_ipython', subject: 'x' })).toBe(
      '>>> x'
    );
  });

  it('tells how it went', () => {
    expect(stateInWords({ state: 'begun', exitCode: null }, trans)).toBe(
      'runs'
    );
    expect(stateInWords({ state: 'failed', exitCode: 3 }, trans)).toBe(
      'exit 3'
    );
    expect(stateInWords({ state: 'failed', exitCode: null }, trans)).toBe(
      'failed'
    );
    expect(stateInWords({ state: 'done', exitCode: 0 }, trans)).toBe('');
  });
});
