/** How high the frames are that show pages from a sandbox; what they say is hostile. */

/** The class of the frames that the kernel makes (`sandbook.rendering.frame`). */
const FRAME = 'iframe.sandbook-frame';
const LEAST = 40;
/** A higher page scrolls in its frame. */
const MOST = 1200;
/** What the border takes. */
const BORDER = 2;

/** A page that is drawn changes its height some times; one that goes on makes all others jump. */
const FREE_CHANGES = 20;
const EVERY_MS = 1000;
const changes = new WeakMap<HTMLIFrameElement, { count: number; at: number }>();

/** Make a frame as high as it says that its page is; of others, take no word. */
export function fit(event: MessageEvent<unknown>, root: ParentNode): void {
  const height = heightFrom(event.data);
  if (height === null) {
    return;
  }
  for (const frame of root.querySelectorAll<HTMLIFrameElement>(FRAME)) {
    if (frame.contentWindow === event.source && mayChange(frame)) {
      frame.style.height = `${clamped(height) + BORDER}px`;
    }
  }
}

function mayChange(frame: HTMLIFrameElement): boolean {
  const { count, at } = changes.get(frame) ?? { count: 0, at: 0 };
  if (count >= FREE_CHANGES && performance.now() - at < EVERY_MS) {
    return false;
  }
  changes.set(frame, { count: count + 1, at: performance.now() });
  return true;
}

function heightFrom(data: unknown): number | null {
  if (typeof data !== 'object' || data === null) {
    return null;
  }
  const { sandbookHeight } = data as { sandbookHeight?: unknown };
  return typeof sandbookHeight === 'number' && Number.isFinite(sandbookHeight)
    ? sandbookHeight
    : null;
}

function clamped(height: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.ceil(height)));
}
