/** The input boxes of cells that have ended, of kernels that are signals and nothing more. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Signal } from '@lumino/signaling';
import { Panel, Widget } from '@lumino/widgets';
import { afterEach, expect, it } from 'vitest';
import { listen } from '../listener';

class FakeKernel {
  constructor(implementation: string) {
    this.info = Promise.resolve({ implementation });
  }
  readonly info: Promise<object>;
  readonly anyMessage = new Signal<this, object>(this);
  readonly statusChanged = new Signal<this, string>(this);

  hasPendingInput = false;

  ask(msg_id: string): void {
    const header = { msg_type: 'input_request' };
    const msg = { header, parent_header: { msg_id }, content: {} };
    this.anyMessage.emit({ msg, direction: 'recv' });
  }

  reply(msg_id: string, direction = 'recv'): Promise<void> {
    const header = { msg_type: 'execute_reply' };
    const msg = { header, parent_header: { msg_id }, content: {} };
    this.anyMessage.emit({ msg, direction });
    return Promise.resolve();
  }
}

/** A cell that was run by a request, with a box that waits and one that was answered. */
class FakeCell extends Widget {
  constructor(request: string) {
    super();
    Object.assign(this.outputArea, {
      future: { msg: { header: { msg_id: request } } }
    });
    for (const name of ['waits', 'answered', 'output']) {
      const item = new Panel();
      item.toggleClass('jp-OutputArea-stdin-item', name !== 'output');
      item.toggleClass('jp-OutputArea-stdin-hiding', name === 'answered');
      item.title.label = name;
      item.node.append(document.createElement('input'));
      this.outputArea.addWidget(item);
    }
  }
  readonly outputArea = new Panel();

  get items(): string[] {
    return this.outputArea.widgets.map(({ title }) => title.label);
  }
}

class FakeNotebook extends Widget {
  constructor(kernel: FakeKernel, widgets: Widget[]) {
    super();
    this.content.widgets = widgets;
    this.sessionContext.session.kernel = kernel;
  }
  readonly content = { widgets: [] as Widget[] };
  readonly sessionContext = {
    session: { kernel: null as FakeKernel | null },
    kernelChanged: new Signal<object, { newValue: FakeKernel }>(this)
  };
}

const ALL = ['waits', 'answered', 'output'];
const WITHOUT = ['answered', 'output'];

function opened(implementation = 'sandbook') {
  const kernel = new FakeKernel(implementation);
  const cells = [new FakeCell('first'), new FakeCell('second')];
  const notebook = new FakeNotebook(kernel, [new Widget(), ...cells]);
  const shell = { widgets: () => [{}, notebook].values() };
  listen(shell as unknown as JupyterFrontEnd.IShell);
  return { kernel, cells, notebook };
}

const settled = () => new Promise(resolve => setTimeout(resolve));

afterEach(() => document.body.replaceChildren());

it('puts away the box of the cell that has ended, and no other', async () => {
  const { kernel, cells } = opened();

  await kernel.reply('second');
  await kernel.reply('first', 'send');
  await settled();

  expect(cells.map(({ items }) => items)).toEqual([ALL, WITHOUT]);
});

it('puts all boxes away when the kernel is restarted', async () => {
  const { kernel, cells } = opened();

  kernel.statusChanged.emit('busy');
  await settled();
  expect(cells[0].items).toEqual(ALL);
  kernel.statusChanged.emit('restarting');
  await settled();

  expect(cells.map(({ items }) => items)).toEqual([WITHOUT, WITHOUT]);
});

it('leaves other kernels alone', async () => {
  const { kernel, cells } = opened('ipython');

  await kernel.reply('first');
  kernel.statusChanged.emit('restarting');
  await settled();

  expect(cells[0].items).toEqual(ALL);
});

it('gives the keyboard back to the notebook', async () => {
  const { kernel, cells } = opened();
  const notebook = document.createElement('div');
  notebook.className = 'jp-Notebook';
  notebook.tabIndex = -1;
  notebook.append(cells[0].outputArea.node);
  document.body.append(notebook);
  cells[0].outputArea.node.querySelector('input')?.focus();

  await kernel.reply('first');
  await settled();

  expect(document.activeElement).toBe(notebook);
});

it('runs further cells when a cell has ended that had asked', async () => {
  const { kernel } = opened();

  kernel.ask('first');
  kernel.hasPendingInput = true;
  await kernel.reply('second');
  await settled();
  expect(kernel.hasPendingInput).toBe(true);
  await kernel.reply('first');
  await settled();

  expect(kernel.hasPendingInput).toBe(false);
});
