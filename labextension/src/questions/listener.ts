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
    const close = async (request?: string) => {
      const info = await kernel.info.catch(() => null);
      if (info?.implementation === IMPLEMENTATION) {
        closeBoxes(widget, request);
      }
    };
    kernel.anyMessage.connect((_, { msg, direction }) => {
      if (direction === 'recv' && KernelMessage.isExecuteReplyMsg(msg)) {
        void close(msg.parent_header.msg_id);
      }
    });
    kernel.statusChanged.connect((_, status) => {
      if (ENDED.includes(status)) {
        void close();
      }
    });
  });
}
