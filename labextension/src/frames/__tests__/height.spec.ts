/** The height of frames, as pages tell it that may tell anything. */
import { beforeEach, expect, it } from 'vitest';
import { fit } from '../height';

let ours: HTMLIFrameElement;
let other: HTMLIFrameElement;

beforeEach(() => {
  document.body.innerHTML =
    '<iframe class="sandbook-frame"></iframe><iframe class="sandbook-frame"></iframe><iframe></iframe>';
  [ours, , other] = [...document.querySelectorAll('iframe')];
});

function say(frame: HTMLIFrameElement, data: unknown): void {
  const source = frame.contentWindow;
  fit(new MessageEvent('message', { data, source }), document);
}

it('gives a frame the height of its page, and no other one', () => {
  say(ours, { sandbookHeight: 300.2 });

  const heights = [...document.querySelectorAll('iframe')];
  expect(heights.map(frame => frame.style.height)).toEqual(['303px', '', '']);
});

it.each([
  [1e9, '1202px'],
  [-5, '42px']
])('keeps a page that wants %s pixels within bounds', (wanted, height) => {
  say(ours, { sandbookHeight: wanted });

  expect(ours.style.height).toBe(height);
});

it.each([
  null,
  'x',
  {},
  { sandbookHeight: '9px;position:fixed' },
  { sandbookHeight: NaN }
])('takes %o for nothing', data => {
  say(ours, data);

  expect(ours.style.height).toBe('');
});

it('leaves the frames of others alone', () => {
  say(other, { sandbookHeight: 300 });

  expect(other.style.height).toBe('');
});

it('lets no page make all others jump', () => {
  for (let number = 0; number < 100; number++) {
    say(ours, { sandbookHeight: 100 + number });
  }

  expect(ours.style.height).toBe('121px');
});
