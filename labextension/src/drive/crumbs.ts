/** Names the sandbox in the breadcrumbs of a file browser, where its id would stand. */
import type { FileBrowser } from '@jupyterlab/filebrowser';

/** Keep the breadcrumbs readable; gives back how to look again when names have changed. */
export function nameCrumbs(
  browser: FileBrowser,
  nameOf: (sandboxId: string) => string | null
): () => void {
  const crumbs = browser.node.querySelector('.jp-BreadCrumbs-container');
  const rename = () => {
    const items = crumbs?.querySelectorAll<HTMLElement>('[data-path]') ?? [];
    for (const item of items) {
      const name = nameOf(item.dataset.path ?? '');
      if (name && item.textContent !== name) {
        item.textContent = name;
        item.title = name;
        item.classList.add('jp-Sandbook-Crumb');
      }
    }
  };
  if (crumbs) {
    // JupyterLab draws them anew whenever it likes, and asks nobody for names.
    const observer = new MutationObserver(rename);
    observer.observe(crumbs, { childList: true, subtree: true });
    browser.disposed.connect(() => observer.disconnect());
  }
  return rename;
}
