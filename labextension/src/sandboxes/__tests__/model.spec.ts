/** The model against a server that is a function. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ISandbox } from '../../api/types';
import { orderSandboxes, SandboxesModel } from '../model';
import { exampleSandbox } from './examples';

const fetchSandboxes = vi.fn<() => Promise<ISandbox[]>>();
let model: SandboxesModel;

/** Let `seconds` pass, and the answers that arrive meanwhile. */
function pass(seconds: number): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(seconds * 1000);
}

function ids(sandboxes: readonly ISandbox[]): string[] {
  return sandboxes.map(sandbox => sandbox.id);
}

beforeEach(() => {
  vi.useFakeTimers();
  // The poll backs off by random steps: always take the middle one.
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  fetchSandboxes.mockReset().mockResolvedValue([]);
  model = new SandboxesModel(fetchSandboxes);
});

afterEach(() => {
  model.dispose();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('orderSandboxes', () => {
  const old = exampleSandbox('old', { started_at: '2030-01-01T10:00:00Z' });
  const middle = exampleSandbox('mid', { started_at: '2030-01-01T11:00:00Z' });
  const young = exampleSandbox('new', { started_at: '2030-01-01T12:00:00Z' });

  it('puts the newest first', () => {
    const sorted = orderSandboxes([middle, old, young], null);

    expect(ids(sorted)).toEqual(['new', 'mid', 'old']);
  });

  it('puts the sandbox of the kernel before newer ones', () => {
    const sorted = orderSandboxes([middle, old, young], 'old');

    expect(ids(sorted)).toEqual(['old', 'new', 'mid']);
  });

  it('orders by id what started together, however it arrives', () => {
    const a = exampleSandbox('a');
    const b = exampleSandbox('b');

    expect(ids(orderSandboxes([b, a], null))).toEqual(['a', 'b']);
    expect(ids(orderSandboxes([a, b], null))).toEqual(['a', 'b']);
  });

  it('leaves its argument as it was', () => {
    const sandboxes = [old, young];

    orderSandboxes(sandboxes, null);

    expect(ids(sandboxes)).toEqual(['old', 'new']);
  });
});

describe('SandboxesModel', () => {
  it('is ready once the server has answered', async () => {
    fetchSandboxes.mockResolvedValue([exampleSandbox('a')]);
    expect(model.isReady).toBe(false);

    await pass(4);

    expect(model.isReady).toBe(true);
    expect(ids(model.all)).toEqual(['a']);
  });

  it('tells of each answer', async () => {
    const listener = vi.fn();
    await pass(4);
    model.stateChanged.connect(listener);

    await model.refresh();
    await pass(0.1);

    expect(listener).toHaveBeenCalledTimes(1);
  });

  it('keeps the last list and says why when the server fails', async () => {
    fetchSandboxes.mockResolvedValueOnce([exampleSandbox('a')]);
    fetchSandboxes.mockRejectedValue(new Error('down'));

    await pass(8);

    expect(model.error?.message).toBe('down');
    expect(ids(model.all)).toEqual(['a']);
  });

  it('takes the first answer after a failure', async () => {
    fetchSandboxes.mockRejectedValue(new Error('down'));
    await pass(4);
    expect(model.error).not.toBeNull();
    const noAnswer = new Promise<ISandbox[]>(() => undefined);
    fetchSandboxes.mockResolvedValueOnce([exampleSandbox('b')]);
    fetchSandboxes.mockReturnValue(noAnswer);

    await pass(31);

    expect(model.error).toBeNull();
    expect(ids(model.all)).toEqual(['b']);
  });

  it('asks less often while the server fails', async () => {
    fetchSandboxes.mockRejectedValue(new Error('down'));
    await pass(30);
    const asked = fetchSandboxes.mock.calls.length;

    await pass(300);

    expect(fetchSandboxes.mock.calls.length - asked).toBeLessThan(50);
  });

  it('looks again at once when asked to', async () => {
    await pass(4);
    const asked = fetchSandboxes.mock.calls.length;

    await model.refresh();
    await pass(0.1);

    expect(fetchSandboxes).toHaveBeenCalledTimes(asked + 1);
  });

  it('uses a new interval from now on', async () => {
    await pass(4);
    model.interval_s = 20;
    await pass(0.1);
    const asked = fetchSandboxes.mock.calls.length;

    await pass(19);
    expect(fetchSandboxes).toHaveBeenCalledTimes(asked);

    await pass(2);
    expect(fetchSandboxes).toHaveBeenCalledTimes(asked + 1);
  });

  it('has the sandbox of the kernel as the current one, and first', async () => {
    fetchSandboxes.mockResolvedValue([
      exampleSandbox('a'),
      exampleSandbox('b')
    ]);
    await pass(4);
    expect(model.current).toBeNull();

    model.kernelId = 'b';

    expect(model.current?.id).toBe('b');
    expect(ids(model.all)).toEqual(['b', 'a']);
  });

  it('has no current sandbox for a kernel that owns none', async () => {
    fetchSandboxes.mockResolvedValue([exampleSandbox('a')]);
    await pass(4);

    model.kernelId = 'python';

    expect(model.current).toBeNull();
  });

  it('asks no more after its end', async () => {
    model.dispose();
    fetchSandboxes.mockClear();

    await pass(60);

    expect(fetchSandboxes).not.toHaveBeenCalled();
  });
});
