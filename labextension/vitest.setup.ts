/** What the simulated browser lacks and JupyterLab's packages need at import. */
globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent;
window.matchMedia ??= () => ({ matches: false }) as MediaQueryList;
