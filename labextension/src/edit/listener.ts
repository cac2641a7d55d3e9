/** Hears the wishes of `%edit` from all notebooks and consoles of the main area. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { followKernels } from '../kernels';
import { type IWish, wishFrom } from './wish';

export type OnWish = (kernelId: string, wish: IWish) => void;

/** Call `onWish` for each wish, from now on and for as long as the shell lives. */
export function listen(shell: JupyterFrontEnd.IShell, onWish: OnWish): void {
  followKernels(shell, kernel => {
    kernel.anyMessage.connect((_, { msg, direction }) => {
      const wish = direction === 'recv' ? wishFrom(msg, kernel.clientId) : null;
      if (wish) {
        onWish(kernel.id, wish);
      }
    });
  });
}
