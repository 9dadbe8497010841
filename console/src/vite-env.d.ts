/// <reference types="vite/client" />

/** Version of the console, from package.json at build time. */
declare const __POSTERN_VERSION__: string;
