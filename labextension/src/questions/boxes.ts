/** The input boxes of cells, and those that nobody reads any more. */
import type { OutputArea } from '@jupyterlab/outputarea';
import type { Widget } from '@lumino/widgets';

/** What a notebook and a console are, as far as it matters here. */
interface IHolder {
  content?: { widgets?: Iterable<Widget> };
  console?: { cells?: Iterable<Widget> };
}

const BOX = 'jp-OutputArea-stdin-item';
/** JupyterLab itself puts such a box away in a moment: it was answered. */
const ANSWERED = 'jp-OutputArea-stdin-hiding';

/**
 * Put away the boxes of a cell that has ended, or of all cells.
 *
 * @param holder - A notebook or a console.
 * @param request - The id of the request that the cell was run by; all of them without it.
 */
export function closeBoxes(holder: Widget, request?: string): void {
  for (const area of areasIn(holder)) {
    if (!request || area.future?.msg.header.msg_id === request) {
      area.widgets.filter(isUnanswered).forEach(close);
    }
  }
}

function* areasIn(holder: Widget): Iterable<OutputArea> {
  const { content, console } = holder as IHolder; // a console has both
  for (const cell of console?.cells ?? content?.widgets ?? []) {
    const { outputArea } = cell as { outputArea?: OutputArea };
    if (outputArea) {
      yield outputArea;
    }
  }
}

function isUnanswered(widget: Widget): boolean {
  return widget.hasClass(BOX) && !widget.hasClass(ANSWERED);
}

/** The keyboard goes back to the notebook, or it would lead nowhere. */
function close(box: Widget): void {
  const hadFocus = box.node.contains(document.activeElement);
  const notebook = box.node.closest<HTMLElement>('.jp-Notebook');
  box.dispose();
  if (hadFocus) {
    notebook?.focus();
  }
}
