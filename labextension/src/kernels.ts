/** Finds the kernels of all notebooks and consoles of the main area. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import type { Widget } from '@lumino/widgets';

export type OnKernel = (
  kernel: Kernel.IKernelConnection,
  widget: Widget
) => void;

/** Call `onKernel` for each kernel, from now on and for as long as the shell lives. */
export function followKernels(
  shell: JupyterFrontEnd.IShell,
  onKernel: OnKernel
): void {
  const known = new WeakSet<ISessionContext>();
  const look = () => {
    for (const widget of shell.widgets('main')) {
      const { sessionContext } = widget as { sessionContext?: ISessionContext };
      if (sessionContext && !known.has(sessionContext)) {
        known.add(sessionContext);
        follow(sessionContext, kernel => onKernel(kernel, widget));
      }
    }
  };
  // Whoever runs a cell has first come to its notebook.
  shell.currentChanged?.connect(look);
  look();
}

function follow(
  context: ISessionContext,
  onKernel: (kernel: Kernel.IKernelConnection) => void
): void {
  context.kernelChanged.connect((_, { newValue }) => {
    if (newValue) {
      onKernel(newValue);
    }
  });
  const kernel = context.session?.kernel;
  if (kernel) {
    onKernel(kernel);
  }
}
