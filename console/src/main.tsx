import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { reportHttp } from './app/report-http';
import { loadAhead, makeRouter } from './app/router';
import { startI18n } from './lib/i18n';
import { followSystemTheme } from './lib/theme';
import { ToastRegion } from './ui/toast';
import './ui/styles.css';

/** Redirects a link of the older hash router (`/ui/#/assets`) to its path. */
function redirectHashLink(): void {
  if (location.hash.startsWith('#/')) history.replaceState(null, '', `/ui${location.hash.slice(1)}`);
}

async function boot(): Promise<void> {
  redirectHashLink();
  followSystemTheme();
  const router = makeRouter();
  reportHttp(router);
  await startI18n(['app', 'nav', 'ui', ...loadAhead(router)]);
  const root = document.getElementById('root');
  if (!root) throw new Error('index.html has no #root');
  createRoot(root).render(
    <StrictMode>
      <RouterProvider router={router} />
      <ToastRegion />
    </StrictMode>,
  );
}

void boot();
