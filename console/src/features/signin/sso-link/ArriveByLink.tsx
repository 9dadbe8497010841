import { useEffect, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import { visible } from '#/ui/visible-text';
import { refusal, type SignInAnswer } from '../api';
import { otherUser, signInByLink } from './api';

/** `failed`: the server did not judge the link, so the person can try again. `asked`: another user is signed in here. */
type Stage =
  | { readonly name: 'sending' }
  | { readonly name: 'failed'; readonly why: string }
  | { readonly name: 'asked'; readonly about: string; readonly isSending: boolean };

/** Arrival by an SSO link: uses its key. Whoever is signed in here as another user is asked first. */
export function ArriveByLink({
  linkKey,
  onAnswer,
  onRefused,
}: {
  readonly linkKey: string;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onRefused: (why: string) => void;
}) {
  const t = useT();
  const [stage, setStage] = useState<Stage>({ name: 'sending' });
  const send = (switchUser: boolean) =>
    signInByLink(linkKey, switchUser).then(onAnswer, (error: unknown) => {
      const about = otherUser(error);
      const { slug, text } = refusal(error);
      if (about !== null) setStage({ name: 'asked', about, isSending: false });
      else if (slug !== null) onRefused(text);
      else setStage({ name: 'failed', why: text });
    });
  const isSent = useRef(false);
  useEffect(() => {
    // A link can be used once, and React may run effects twice.
    if (isSent.current) return;
    isSent.current = true;
    void send(false);
  });

  if (stage.name === 'failed')
    return (
      <div className="grid gap-4">
        <h1 className="text-figure">{t('signin:title')}</h1>
        <Note tone="danger" announce>
          {stage.why}
        </Note>
        <Button
          kind="primary"
          size="lg"
          onClick={() => {
            setStage({ name: 'sending' });
            void send(false);
          }}
        >
          {t('sso-link:again')}
        </Button>
      </div>
    );
  if (stage.name === 'asked')
    return (
      <div className="grid gap-4">
        <h1 className="text-figure">{t('sso-link:other.title')}</h1>
        <Note tone="warn" announce>
          {visible(stage.about)}
        </Note>
        <p className="text-ink-2">{t('sso-link:other.why')}</p>
        <Button
          kind="primary"
          size="lg"
          busy={stage.isSending}
          onClick={() => {
            setStage({ ...stage, isSending: true });
            void send(true);
          }}
        >
          {t('sso-link:other.switch')}
        </Button>
        <Button size="lg" onClick={() => location.assign('/ui/')}>
          {t('sso-link:other.stay')}
        </Button>
      </div>
    );
  return (
    <div role="status" aria-label={t('signin:signing_in')}>
      <h1 className="mb-4 text-figure">{t('signin:signing_in')}</h1>
      <SkeletonLines lines={4} />
    </div>
  );
}
