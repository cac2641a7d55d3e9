/** The wishes of `%edit`, from kernels that are signals and nothing more. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { expect, it, vi } from 'vitest';
import { listen, type OnWish } from '../listener';
import { wishFrom } from '../wish';

const WISH = {
  source: 'edit_magic',
  filename: '/workspace/a.py',
  line_number: 3
};

function reply(
  payload: object[],
  changes: { msg_type?: string; session?: string } = {}
): KernelMessage.IMessage {
  const { msg_type = 'execute_reply', session = 'me' } = changes;
  return {
    header: { msg_type },
    parent_header: { session },
    content: { status: 'ok', payload }
  } as unknown as KernelMessage.IMessage;
}

class FakeKernel {
  constructor(readonly id: string) {}
  readonly clientId = 'me';
  readonly anyMessage = new Signal<this, object>(this);

  say(msg: KernelMessage.IMessage): void {
    this.anyMessage.emit({ msg, direction: 'recv' });
  }
}

class FakeNotebook {
  constructor(kernel: FakeKernel | null) {
    this.sessionContext.session = { kernel };
  }
  readonly sessionContext = {
    session: { kernel: null as FakeKernel | null },
    kernelChanged: new Signal<object, { newValue: FakeKernel }>(this)
  };
}

class FakeShell {
  readonly main: object[] = [];
  readonly currentChanged = new Signal<this, void>(this);
  widgets() {
    return this.main.values();
  }
}

function listening(shell: FakeShell) {
  const onWish = vi.fn<OnWish>();
  listen(shell as unknown as JupyterFrontEnd.IShell, onWish);
  return onWish;
}

it('reads the file and the line', () => {
  expect(wishFrom(reply([{ source: 'page' }, WISH]), 'me')).toEqual({
    path: '/workspace/a.py',
    line: 3
  });
  expect(wishFrom(reply([{ ...WISH, line_number: 0 }]), 'me')?.line).toBeNull();
});

it.each([
  ['no payload', reply([])],
  ['another source', reply([{ ...WISH, source: 'page' }])],
  ['a relative path', reply([{ ...WISH, filename: 'a.py' }])],
  ['no path', reply([{ source: 'edit_magic' }])],
  ['the answer to somebody else', reply([WISH], { session: 'you' })],
  ['another message', reply([WISH], { msg_type: 'display_data' })]
])('takes %s for no wish', (_, message) => {
  expect(wishFrom(message, 'me')).toBeNull();
});

it('hears each notebook once, whenever it opened', () => {
  const shell = new FakeShell();
  const [first, second] = [new FakeKernel('a'), new FakeKernel('b')];
  shell.main.push({}, new FakeNotebook(first));
  const onWish = listening(shell);
  shell.main.push(new FakeNotebook(second));
  shell.currentChanged.emit();
  shell.currentChanged.emit();

  first.say(reply([WISH]));
  second.say(reply([WISH]));

  expect(onWish.mock.calls.map(([kernelId]) => kernelId)).toEqual(['a', 'b']);
});

it('hears the next kernel of a notebook', () => {
  const shell = new FakeShell();
  const notebook = new FakeNotebook(null);
  shell.main.push(notebook);
  const onWish = listening(shell);
  const kernel = new FakeKernel('a');

  notebook.sessionContext.kernelChanged.emit({ newValue: kernel });
  kernel.say(reply([WISH]));

  expect(onWish).toHaveBeenCalledOnce();
});
