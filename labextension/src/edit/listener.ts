/** Hears the wishes of `%edit` from all notebooks and consoles of the main area. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import { type IWish, wishFrom } from './wish';

export type OnWish = (kernelId: string, wish: IWish) => void;

/** Call `onWish` for each wish, from now on and for as long as the shell lives. */
export function listen(shell: JupyterFrontEnd.IShell, onWish: OnWish): void {
  const known = new WeakSet<ISessionContext>();
  const look = () => {
    for (const widget of shell.widgets('main')) {
      const { sessionContext } = widget as { sessionContext?: ISessionContext };
      if (sessionContext && !known.has(sessionContext)) {
        known.add(sessionContext);
        listenTo(sessionContext, onWish);
      }
    }
  };
  // Whoever runs a cell has first come to its notebook.
  shell.currentChanged?.connect(look);
  look();
}

function listenTo(context: ISessionContext, onWish: OnWish): void {
  const onMessage = (
    kernel: Kernel.IKernelConnection,
    { msg, direction }: Kernel.IAnyMessageArgs
  ) => {
    const wish = direction === 'recv' ? wishFrom(msg, kernel.clientId) : null;
    if (wish) {
      onWish(kernel.id, wish);
    }
  };
  context.kernelChanged.connect((_, { newValue }) => {
    newValue?.anyMessage.connect(onMessage);
  });
  context.session?.kernel?.anyMessage.connect(onMessage);
}
