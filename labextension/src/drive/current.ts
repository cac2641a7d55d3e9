/**
 * Says which file browser JupyterLab takes for the current one.
 *
 * Commands for files act in the current browser, and new notebooks, consoles and files go to its
 * folder. JupyterLab takes the browser that was used last, or that was added last. Ours is to be
 * the current one only while somebody works in it: else a new notebook would be made in a sandbox,
 * and end with it.
 */
import type { FileBrowser } from '@jupyterlab/filebrowser';

/** What a browser opens outside of itself: its context menu, and questions about its files. */
const PARTS_ELSEWHERE = '.lm-Menu, .jp-Dialog';

/** Keep the ordinary browser the current one, except for what happens in ours. */
export function stayAside(ours: FileBrowser, ordinary: FileBrowser): void {
  const follow = ({ target }: Event) => {
    const node = target instanceof Element ? target : document.body;
    if (ours.node.contains(node)) {
      makeCurrent(ours);
    } else if (!node.closest(PARTS_ELSEWHERE)) {
      makeCurrent(ordinary);
    }
  };
  // First of all, so that whatever the event leads to finds the right browser.
  const kinds = ['pointerdown', 'focusin', 'keydown', 'dragover', 'drop'];
  kinds.forEach(kind => window.addEventListener(kind, follow, true));
  ours.disposed.connect(() => {
    kinds.forEach(kind => window.removeEventListener(kind, follow, true));
  });
  makeCurrent(ordinary);
}

/** Let the tracker of file browsers hear that one has the focus; it listens to its node. */
function makeCurrent(browser: FileBrowser): void {
  browser.node.dispatchEvent(new FocusEvent('focus'));
}
