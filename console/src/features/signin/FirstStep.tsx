import { lazy, Suspense, useEffect, useState } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { type SignInAnswer, type SignInSettings, signInSettings } from './api';
import { type Block, blocksOf, WITHOUT_SETTINGS } from './first-blocks';
import { PasswordForm } from './PasswordForm';

const loadPasskeys = async () => {
  const [part] = await Promise.all([import('./PasskeySignIn'), loadNamespaces(['passkeys'])]);
  return { default: part.PasskeySignIn };
};
const loadLinks = async () => {
  const [part] = await Promise.all([import('./ProviderLinks'), loadNamespaces(['external'])]);
  return { default: part.ProviderLinks };
};
const PasskeySignIn = lazy(loadPasskeys);
const ProviderLinks = lazy(loadLinks);

/** The form does not wait longer for the settings and the other parts: signing in must not depend on them. */
const PATIENCE_MS = 2_000;

/** Loads the code of these parts, so that they appear at once: a part that comes later moves the form under the pointer. */
function loadParts(settings: SignInSettings): Promise<unknown> {
  const ways = new Set(blocksOf(settings).map((block) => block.way));
  return Promise.all([ways.has('passkey') && loadPasskeys(), ways.has('provider') && loadLinks()]);
}

/** What the settings say about this page; null while they are loaded. */
function useSignInSettings(): SignInSettings | null {
  const [found, setFound] = useState<SignInSettings | null>(null);
  useEffect(() => {
    // The first answer stays: a page that is in use does not change its order.
    const settle = (settings: SignInSettings) => setFound((present) => present ?? settings);
    let known = WITHOUT_SETTINGS;
    const timer = setTimeout(() => settle(known), PATIENCE_MS);
    const load = async () => {
      known = await signInSettings().catch(() => WITHOUT_SETTINGS);
      await loadParts(known).catch(() => undefined); // each part reports its own failure
      settle(known);
    };
    void load();
    return () => clearTimeout(timer);
  }, []);
  return found;
}

export interface FirstStepProps {
  /** Why the person is back on this step. */
  readonly reason: string | null;
  /** Where the person wants to go. */
  readonly next: string | null;
  readonly onAnswer: (answer: SignInAnswer) => void;
}

/** The ways of signing in, in the order of the settings. */
export function FirstStep({ reason, next, onAnswer }: FirstStepProps) {
  const t = useT();
  const settings = useSignInSettings();
  const [failure, setFailure] = useState<string | null>(reason);
  const blocks = settings === null ? [] : blocksOf(settings);
  const form = blocks.find((block) => block.way === 'form');
  const shown = (block: Block, isFirst: boolean) => {
    switch (block.way) {
      case 'form':
        return <PasswordForm isFirst={isFirst} onAnswer={onAnswer} onFailure={setFailure} />;
      case 'passkey':
        return <PasskeySignIn onSignedIn={onAnswer} />;
      default:
        return (
          <ProviderLinks
            providers={block.providers}
            vouching={block.vouching}
            next={next}
            isDivided={block.isDivided}
          />
        );
    }
  };
  return (
    <>
      <h1 className="text-figure">{t('signin:title')}</h1>
      {form !== undefined && (
        <p className="mt-1 text-ink-2">
          {t(form.isForDirectoryOnly ? 'signin:hint_directory' : 'signin:hint')}
        </p>
      )}
      {failure !== null && (
        <div className="mt-4">
          <Note tone="danger" announce>
            {failure}
          </Note>
        </div>
      )}
      {settings === null && <SkeletonLines lines={6} />}
      {settings !== null && blocks.length === 0 && <p className="mt-4 text-ink-2">{t('signin:no_way')}</p>}
      {blocks.map((block, index) => (
        // Each loads alone: the form must not wait for the others.
        <Suspense key={block.key}>
          <div className={index === 0 && block.way === 'provider' ? 'mt-4' : undefined}>
            {shown(block, index === 0)}
          </div>
        </Suspense>
      ))}
      {form !== undefined && !form.isForDirectoryOnly && typeof settings?.forgot === 'string' && (
        <p className="mt-4">
          <a href={settings.forgot} className="pt-link">
            {t('signin:forgot')}
          </a>
        </p>
      )}
    </>
  );
}
