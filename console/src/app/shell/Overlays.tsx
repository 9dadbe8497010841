import { lazy, Suspense } from 'react';
import { loadNamespaces } from '#/lib/i18n';
import { hideJob, useShownJob } from '#/domain/jobs/shown-job';
import { ConfirmHost } from '#/ui/confirm';
import { Tips } from '#/ui/tips';
import { closePalette, usePalette, usePaletteShortcut } from '../palette/palette-state';
import { closeAccessKeys, useAccessKeys } from './access-keys';

// Each overlay is loaded at its first use, together with its texts.
const Palette = lazy(async () => {
  await loadNamespaces(['palette']);
  return import('../palette/Palette');
});
const AccessKeysDialog = lazy(async () => {
  await loadNamespaces(['access-keys']);
  return import('#/features/access-keys/AccessKeysDialog');
});

const JobDialog = lazy(async () => {
  await loadNamespaces(['jobs']);
  return import('#/features/jobs/JobDialog');
});

/** Overlays that can open on every screen. */
export function Overlays() {
  usePaletteShortcut();
  const palette = usePalette((state) => state.isOpen);
  const keys = useAccessKeys((state) => state.isOpen);
  const job = useShownJob((state) => state.id);
  return (
    <>
      <Suspense>
        {job !== null && <JobDialog id={job} onClose={hideJob} />}
        {palette && <Palette onClose={closePalette} />}
        {keys && <AccessKeysDialog onClose={closeAccessKeys} />}
      </Suspense>
      <ConfirmHost />
      <Tips />
    </>
  );
}
