/**
 * Keeps the keyboard with the person. A page in a frame may take the focus without being asked, and
 * would then get what is meant for a cell or a terminal. So a frame that takes it is put away.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

const FRAME = 'iframe.sandbook-frame';
/** So long after Tab was pressed, a frame may have been reached by it. */
const TAB_MS = 300;

/** Watch the focus of this window, from now on. */
export function guardFocus(trans: TranslationBundle): void {
  let last: HTMLElement | null = null;
  let tabbed = -Infinity;
  document.addEventListener('focusin', ({ target }) => {
    if (
      target instanceof HTMLElement &&
      !(target instanceof HTMLIFrameElement)
    ) {
      last = target;
    }
  });
  window.addEventListener(
    'keydown',
    event => {
      tabbed = event.key === 'Tab' ? performance.now() : tabbed;
    },
    true
  );
  window.addEventListener('blur', () => {
    // Only now does the document know which frame has the focus.
    setTimeout(() => {
      const frame = document.activeElement;
      const wasAsked =
        frame?.matches(':hover') || performance.now() - tabbed < TAB_MS;
      if (
        frame instanceof HTMLIFrameElement &&
        frame.matches(FRAME) &&
        !wasAsked
      ) {
        putAway(frame, trans);
        last?.focus();
      }
    });
  });
}

/** Replace a frame by a note; a person can have it back. */
export function putAway(
  frame: HTMLIFrameElement,
  trans: TranslationBundle
): void {
  const note = document.createElement('div');
  note.className = 'jp-Sandbook-PutAway';
  note.setAttribute('role', 'note');
  note.textContent = trans.__(
    'This page took the keyboard without being asked, so it was put away.'
  );
  const again = document.createElement('button');
  again.className = 'jp-mod-styled';
  again.textContent = trans.__('Show It Again');
  again.addEventListener('click', () => note.replaceWith(frame));
  note.append(again);
  frame.replaceWith(note);
}
