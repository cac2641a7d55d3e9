/** Tells a person that a notebook lives in a sandbox, and ends with it. */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';
import { DRIVE_NAME } from './paths';

/** Say so above each notebook of the drive, from now on. */
export function markNotebooks(
  notebooks: INotebookTracker,
  trans: TranslationBundle
): void {
  const mark = (panel: NotebookPanel) => {
    if (panel.context.path.startsWith(`${DRIVE_NAME}:`)) {
      panel.contentHeader.addWidget(createNotice(trans));
    }
  };
  notebooks.widgetAdded.connect((_, panel) => mark(panel));
  notebooks.forEach(mark);
}

function createNotice(trans: TranslationBundle): ReactWidget {
  const text = trans.__(
    'This notebook is a file of a sandbox and is lost when that sandbox ends. Download it to keep it (File → Download).'
  );
  const notice = ReactWidget.create(<span role="note">{text}</span>);
  notice.addClass('jp-Sandbook-Notice');
  return notice;
}

/** Ask whether a notebook is really to be made in a sandbox. */
export async function wantsNotebook(
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Create the notebook in a sandbox?'),
    body: trans.__(
      'It would be a file of this sandbox, and lost when the sandbox ends. Notebooks to keep belong in the ordinary file browser.'
    ),
    buttons: [
      Dialog.cancelButton(),
      Dialog.warnButton({ label: trans.__('Create It Here') })
    ]
  });
  return button.accept;
}
