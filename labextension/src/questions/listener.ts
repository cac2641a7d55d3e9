/** Hears the end of cells, from the kernels of Sandbook alone. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { type Kernel, KernelMessage } from '@jupyterlab/services';
import { followKernels } from '../kernels';
import { closeBoxes } from './boxes';

const IMPLEMENTATION = 'sandbook';
const ENDED: Kernel.Status[] = ['restarting', 'autorestarting', 'dead'];

/** Put the boxes away that are left over, from now on and for as long as the shell lives. */
export function listen(shell: JupyterFrontEnd.IShell): void {
  followKernels(shell, (kernel, widget) => {
    let asking = '';
    const end = async (request?: string) => {
      const info = await kernel.info.catch(() => null);
      if (info?.implementation !== IMPLEMENTATION) {
        return;
      }
      closeBoxes(widget, request);
      // Else JupyterLab would go on waiting for the answer, and run no further cell.
      if (request && request === asking) {
        kernel.hasPendingInput = false;
      }
    };
    kernel.anyMessage.connect((_, { msg, direction }) => {
      if (direction !== 'recv') {
        return;
      }
      const { msg_id } = msg.parent_header as KernelMessage.IHeader;
      if (KernelMessage.isExecuteReplyMsg(msg)) {
        void end(msg_id);
      } else if (KernelMessage.isInputRequestMsg(msg)) {
        asking = msg_id;
      }
    });
    kernel.statusChanged.connect((_, status) => {
      if (ENDED.includes(status)) {
        void end();
      }
    });
  });
}
