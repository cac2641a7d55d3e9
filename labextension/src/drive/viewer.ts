/** Shows a file of a sandbox in a tab, on the page that the server makes of it. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { IFrame } from '@jupyterlab/ui-components';
import { sandboxIcon } from '../icons';

/** Open the page, or load it anew where it is open. */
export function showPage(
  shell: JupyterFrontEnd.IShell,
  url: string,
  path: string
): void {
  const id = `sandbook-view-${url}`;
  for (const open of shell.widgets('main')) {
    if (open.id === id && open instanceof MainAreaWidget) {
      (open.content as IFrame).url = url;
      shell.activateById(id);
      return;
    }
  }
  shell.add(createPage(id, url, path), 'main');
}

function createPage(
  id: string,
  url: string,
  path: string
): MainAreaWidget<IFrame> {
  // What it shows is anybody's work: it may run nothing, and load its own files only.
  // The server asks where a request comes from, so the frame has to say it.
  const content = new IFrame({
    sandbox: ['allow-same-origin', 'allow-downloads'],
    referrerPolicy: 'same-origin'
  });
  content.url = url;
  const widget = new MainAreaWidget({ content });
  widget.id = id;
  widget.title.label = PathExt.basename(path);
  widget.title.caption = path;
  widget.title.icon = sandboxIcon;
  widget.title.closable = true;
  return widget;
}
