import { useEffect, useState } from 'react';
import { loadNamespaces } from '#/lib/i18n';
import { type SignInSettings, signInSettings } from './api';
import { type Block, blocksOf, WITHOUT_SETTINGS } from './first-blocks';
import type { PasskeySignIn } from './PasskeySignIn';
import type { ProviderLinks } from './ProviderLinks';

/** The code of the parts that not every page needs, as far as it has come. */
interface Parts {
  readonly passkey?: typeof PasskeySignIn;
  readonly provider?: typeof ProviderLinks;
}

const LOADERS: { readonly [way in keyof Parts]-?: () => Promise<Parts> } = {
  passkey: async () => {
    const [part] = await Promise.all([import('./PasskeySignIn'), loadNamespaces(['passkeys'])]);
    return { passkey: part.PasskeySignIn };
  },
  provider: async () => {
    const [part] = await Promise.all([import('./ProviderLinks'), loadNamespaces(['external'])]);
    return { provider: part.ProviderLinks };
  },
};

export interface Page {
  readonly settings: SignInSettings;
  /** In the order of display. */
  readonly blocks: readonly Block[];
  readonly parts: Parts;
  /** The settings or the code of a part could not be loaded. */
  readonly isPartLost: boolean;
}

/** The page does not wait longer for the settings and the parts: signing in must not depend on them. */
const PATIENCE_MS = 2_000;

const isReady = (block: Block, parts: Parts) => block.way === 'form' || parts[block.way] !== undefined;

/** A visible part stays where it is, because the user may be about to press it; later parts follow below. */
function grown(page: Page | null, settings: SignInSettings, parts: Parts, isPartLost: boolean): Page {
  const there = page?.blocks ?? [];
  const more = blocksOf(settings).filter(
    (block) => isReady(block, parts) && !there.some((one) => one.key === block.key),
  );
  return { settings, blocks: [...there, ...more], parts, isPartLost };
}

/**
 * The ways of signing in; null until they can be shown.
 *
 * The parts are kept as components, not behind a boundary that waits: React shows what a boundary waited for up to
 * 300 ms later, even if it was there, and a part that comes after the others moves them under the pointer.
 */
export function useFirstPage(): Page | null {
  const [page, setPage] = useState<Page | null>(null);
  useEffect(() => {
    let isShown = false;
    let isPartLost = false;
    let settings = WITHOUT_SETTINGS;
    let parts: Parts = {};
    const show = () => {
      isShown = true;
      setPage((present) => grown(present, settings, parts, isPartLost));
    };
    const timer = setTimeout(show, PATIENCE_MS);
    const loadPart = async (way: keyof Parts) => {
      try {
        const part = await LOADERS[way]();
        parts = { ...parts, ...part };
      } catch {
        isPartLost = true;
      }
      if (isShown) show();
    };
    const load = async () => {
      settings = await signInSettings().catch(() => {
        isPartLost = true; // providers, which nobody can know
        return WITHOUT_SETTINGS;
      });
      const ways = new Set(blocksOf(settings).map((block) => block.way));
      await Promise.all((['passkey', 'provider'] as const).filter((way) => ways.has(way)).map(loadPart));
      show();
    };
    void load();
    return () => clearTimeout(timer);
  }, []);
  return page;
}
