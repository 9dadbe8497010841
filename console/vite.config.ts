/// <reference types="vitest/config" />
import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import manifest from './package.json' with { type: 'json' };

const controlPlane = process.env.POSTERN_DEV_TARGET ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: '/ui/',
  plugins: [
    react(),
    tailwindcss(),
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
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/api', '/core', '/ws', '/media', '/static'].map((path) => [
        path,
        { target: controlPlane, ws: path === '/ws', changeOrigin: false },
      ]),
    ),
  },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://postern.test/ui/' } },
    setupFiles: ['src/test/setup.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 60_000,
  },
});
