/** What `%edit` asks for; all functions are pure. */
import { KernelMessage } from '@jupyterlab/services';

/** A file that somebody wants to edit, and on which line; lines count from 1. */
export interface IWish {
  path: string;
  line: number | null;
}

/** Read the wish out of a message, if it answers a request of this client. */
export function wishFrom(
  message: KernelMessage.IMessage,
  clientId: string
): IWish | null {
  if (
    !KernelMessage.isExecuteReplyMsg(message) ||
    message.parent_header.session !== clientId ||
    message.content.status !== 'ok'
  ) {
    return null;
  }
  const payloads = message.content.payload ?? [];
  const wish = payloads.find(({ source }) => source === 'edit_magic');
  const path = wish?.['filename'];
  if (typeof path !== 'string' || !path.startsWith('/')) {
    return null;
  }
  const line = Number(wish?.['line_number']);
  return { path, line: line > 0 ? line : null };
}
