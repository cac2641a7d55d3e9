/** Who has the keyboard: a frame only where somebody has put it there. */
import { nullTranslator } from '@jupyterlab/translation';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { guardFocus } from '../focus';

let frame: HTMLIFrameElement;

beforeAll(() => guardFocus(nullTranslator.load('sandbook')));

beforeEach(() => {
  document.body.innerHTML =
    '<textarea></textarea><iframe class="sandbook-frame"></iframe>';
  frame = document.querySelector('iframe')!;
  document.querySelector('textarea')!.focus();
});

/** The frame takes the focus, and the window loses it. */
async function take(): Promise<void> {
  vi.spyOn(document, 'activeElement', 'get').mockReturnValueOnce(frame);
  window.dispatchEvent(new Event('blur'));
  await new Promise(resolve => setTimeout(resolve, 5));
}

it('puts a frame away that takes the keyboard, until somebody wants it', async () => {
  await take();

  expect(frame.isConnected).toBe(false);
  expect(document.body.textContent).toContain('took the keyboard');

  document.querySelector('button')!.click();

  expect(frame.isConnected).toBe(true);
});

it('leaves a frame alone that was reached with Tab', async () => {
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab' }));
  await take();

  expect(frame.isConnected).toBe(true);
});
