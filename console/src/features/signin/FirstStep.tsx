import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import type { SignInAnswer } from './api';
import { type Block, isDivided } from './first-blocks';
import { type Page, useFirstPage } from './first-page';
import { PasswordForm } from './PasswordForm';

export interface FirstStepProps {
  /** Why the person is back on this step. */
  readonly reason: string | null;
  /** Where the person wants to go. */
  readonly next: string | null;
  readonly onAnswer: (answer: SignInAnswer) => void;
}

interface BlockViewProps extends Omit<FirstStepProps, 'reason'> {
  readonly page: Page;
  readonly block: Block;
  readonly index: number;
  readonly onFailure: (failure: string | null) => void;
}

/** One way of signing in, or several that share a form. */
function BlockView({ page, block, index, next, onAnswer, onFailure }: BlockViewProps) {
  const t = useT();
  const { passkey: PasskeySignIn, provider: ProviderLinks } = page.parts;
  if (block.way === 'form') {
    return (
      <>
        <PasswordForm isFirst={index === 0} onAnswer={onAnswer} onFailure={onFailure} />
        {!block.isForDirectoryOnly && typeof page.settings.forgot === 'string' && (
          <p className="mt-4">
            <a href={page.settings.forgot} className="pt-link">
              {t('signin:forgot')}
            </a>
          </p>
        )}
      </>
    );
  }
  if (block.way === 'passkey') return PasskeySignIn && <PasskeySignIn onSignedIn={onAnswer} />;
  return (
    ProviderLinks && (
      <div className={index === 0 ? 'mt-4' : undefined}>
        <ProviderLinks
          providers={block.providers}
          vouching={block.vouching}
          next={next}
          isDivided={isDivided(page.blocks, index)}
        />
      </div>
    )
  );
}

/** The ways of signing in, in the order of the settings. */
export function FirstStep({ reason, next, onAnswer }: FirstStepProps) {
  const t = useT();
  const page = useFirstPage();
  const [failure, setFailure] = useState<string | null>(reason);
  const form = page?.blocks.find((block) => block.way === 'form');
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
      {page === null && <SkeletonLines lines={6} />}
      {page?.blocks.map((block, index) => (
        <BlockView
          key={block.key}
          page={page}
          block={block}
          index={index}
          next={next}
          onAnswer={onAnswer}
          onFailure={setFailure}
        />
      ))}
      {page?.blocks.length === 0 && !page.isPartLost && (
        <p className="mt-4 text-ink-2">{t('signin:no_way')}</p>
      )}
      {page?.isPartLost === true && <p className="mt-4 text-ink-2">{t('signin:part_lost')}</p>}
    </>
  );
}
