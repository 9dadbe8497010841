import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { configDefaults } from 'vitest/config';
import manifest from './package.json' with { type: 'json' };

const controlPlane = process.env.POSTERN_DEV_TARGET ?? 'http://127.0.0.1:8080';

const SOURCE = fileURLToPath(new URL('./src/', import.meta.url));
const MAIN = 'main.tsx';
const SIGN_IN = ['features/signin/SignInPage.tsx'];
const LIST = [
  'app/QueryScope.tsx',
  'app/shell/Shell.tsx',
  'resource/screens.tsx',
  'resource/define.ts',
  'resource/lazy-part.tsx',
  'domain/remotes.ts',
];
/** Signing in would load the list for an icon that both show: tools/budgets.mjs tells when one is missing here. */
const ICONS_OF_BOTH = /\/lucide-react\/dist\/esm\/icons\/(?:languages|moon|sun)\.mjs$/;
const reached = new Map<string, ReadonlySet<string>>();

/** Modules of ours that these ones load at once, themselves included. */
function reachedFrom(roots: readonly string[], context: Rolldown.ChunkingContext): ReadonlySet<string> {
  const known = reached.get(roots.join());
  if (known) return known;
  const found = new Set<string>();
  const waiting = roots.map((root) => SOURCE + root);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id) || !id.startsWith(SOURCE)) continue;
    found.add(id);
    waiting.push(...(context.getModuleInfo(id)?.importedIds ?? []));
  }
  reached.set(roots.join(), found);
  return found;
}

/** Texts that are always shown together, by language. The first file also knows the names of all others. */
function textsOf(name: string, namespaces: string) {
  const path = new RegExp(`/(?:(?:${namespaces})/locales/|i18n/files-)(zh|en)\\.(?:json|ts)$`);
  return {
    debugName: name,
    name: (id: string) => path.exec(id)?.[1]?.replace(/^/, `${name}-`) ?? null,
    priority: 5,
  };
}

/**
 * What a visit needs together comes in one file. Left alone, the bundler makes a file of each icon and of each small part that
 * two screens share: a list came in ninety requests. A group takes along what its modules import, except for what a group above has.
 */
const CHUNKS: Rolldown.CodeSplittingGroup[] = [
  textsOf('texts', 'app|nav|ui'),
  textsOf('list-texts', 'shell|messages|resource|node-search'),
  {
    debugName: 'core',
    // What every page begins with, and what both signing in and lists are made of.
    name: (id, context) =>
      (id !== SOURCE + MAIN && reachedFrom([MAIN], context).has(id)) ||
      (reachedFrom(SIGN_IN, context).has(id) && reachedFrom(LIST, context).has(id)) ||
      id.includes('/node_modules/react-dom/') ||
      ICONS_OF_BOTH.test(id)
        ? 'core'
        : null,
    // Before the texts, whose file also loads others: what loads files belongs to every page.
    priority: 6,
  },
  // The frame and the list, which most screens are; forms and details share its parts.
  {
    debugName: 'list',
    name: (id, context) => (reachedFrom(LIST, context).has(id) ? 'list' : null),
    priority: 3,
  },
  { name: 'node-tree', test: /\/src\/domain\/node-tree\/NodeTree\.tsx$/, priority: 2 },
  // Icons of applications and of explanations, which lists of other kinds do without.
  {
    name: 'application-icons',
    test: /\/src\/domain\/application-kinds\/icons\.ts$|\/icons\/git-branch\.mjs$/,
    priority: 2,
  },
  // Icons that several screens show.
  { name: 'icons', test: /\/lucide-react\/dist\/esm\/icons\//, minShareCount: 2, priority: 0 },
  // React Aria: dialogs and drawers, then what is chosen from.
  { name: 'dialogs', test: /\/src\/ui\/(?:dialog|drawer)\.tsx$/, priority: 2 },
  { name: 'choosing', test: /\/src\/ui\/(?:picker|select)\.tsx$/, priority: 1 },
];

/**
 * Chromium compiles these while they arrive, on another thread, instead of each function when it is first called: a fifth of the
 * main thread's work of a cold start. Other browsers read a comment.
 */
const compiledAhead: Plugin = {
  name: 'compiled-ahead',
  // After Vite's own line at the top: the comment counts in the first place only.
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk' && (file.name === 'core' || file.name === 'list'))
          file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
      }
    },
  },
};

/**
 * Tests that get a process of their own: signing in puts another `location` in place of the page's, which a page does not allow, and
 * imports read their file from a request with Node's own form.
 */
const OWN_PROCESS = [
  'src/features/signin/**/*.test.{ts,tsx}',
  'src/resource/exchange/import-*-screen.test.tsx',
];

export default defineConfig({
  base: '/ui/',
  plugins: [
    react(),
    tailwindcss(),
    compiledAhead,
    { ...optimizeLocales.vite({ locales: ['zh-CN', 'en-US'] }), enforce: 'pre' },
  ],
  define: { __POSTERN_VERSION__: JSON.stringify(manifest.version) },
  resolve: { alias: { '#': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    target: 'es2023',
    manifest: true,
    // Not the default `assets`: /ui/assets/ is a screen. The server keeps files of this folder for a year.
    assetsDir: 'bundle',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: CHUNKS },
      },
    },
  },
  // As files that may load further ones: a worker of the sign-in page loads a library over plain http only.
  worker: { format: 'es' },
  server: {
    port: 5173,
    // The guides lie beside the console's folder.
    fs: { allow: ['.', '../docs'] },
    // Otherwise Vite answers OPTIONS itself, and no form learns its fields.
    cors: false,
    proxy: Object.fromEntries(
      ['/api', '/core', '/files', '/ws', '/media', '/static'].map((path) => [
        path,
        { target: controlPlane, ws: path === '/ws', changeOrigin: false },
      ]),
    ),
  },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://postern.test/ui/' } },
    setupFiles: ['src/test/setup.ts'],
    // Left alone, one of two cores rests.
    maxWorkers: '100%',
    restoreMocks: true,
    unstubGlobals: true,
    // A machine that stands still for a while is no failure; what hangs ends here.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A new process for each file takes half a second for jsdom alone. A page of its own in a process that is kept keeps the
    // modules and the page of files apart as well.
    projects: [
      {
        extends: true,
        test: {
          name: 'pages',
          pool: 'vmForks',
          // Pages are not forgotten completely: a process that has grown to this size is replaced.
          vmMemoryLimit: '1GB',
          exclude: [...configDefaults.exclude, ...OWN_PROCESS],
        },
      },
      {
        extends: true,
        test: { name: 'processes', pool: 'forks', include: OWN_PROCESS },
      },
    ],
  },
});
