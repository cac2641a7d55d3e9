/** How the unit tests run: in a simulated browser, as JupyterLab's packages expect one. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'jsdom',
    include: ['src/**/__tests__/*.spec.ts'],
    setupFiles: ['vitest.setup.ts'],
    // These packages import CSS and SVG files, which Node alone cannot load.
    server: { deps: { inline: [/@jupyter/, /@jupyterlab/, /@lumino/] } }
  }
});
