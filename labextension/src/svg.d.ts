/** Lets TypeScript import an SVG file as the text that the bundler makes of it. */
declare module '*.svg' {
  const text: string;
  export default text;
}
