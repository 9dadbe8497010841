import type { ReactNode } from 'react';
import { MessageBody } from '#/features/messages/MessageItem';
import { type Form, type MessageForms, readableJson } from './messages';

const FRAME_HEIGHT = 220;
const NAMES: Record<Form, string> = {
  site: 'Site message',
  mail: 'Mail, HTML',
  text: 'Mail, text',
  chat: 'WeCom, DingTalk, FeiShu',
  webhook: 'Webhook',
};

function Plain({ children }: { readonly children: string }) {
  return <pre className="font-mono text-meta whitespace-pre-wrap [overflow-wrap:anywhere]">{children}</pre>;
}

/** A letter brings its own page and its own colours. It may load and run nothing. */
function Letter({
  subject,
  html,
  label,
}: {
  readonly subject: string;
  readonly html: string;
  readonly label: string;
}) {
  return (
    <>
      <p className="font-medium [overflow-wrap:anywhere]">{subject}</p>
      <iframe
        title={label}
        sandbox=""
        loading="lazy"
        srcDoc={html}
        height={FRAME_HEIGHT}
        className="w-full rounded-2 border border-line bg-white"
      />
    </>
  );
}

function contentOf(form: Form, forms: MessageForms, label: string): ReactNode {
  const { site, mail, chat, webhook } = forms;
  if (form === 'site')
    return (
      site && (
        <>
          <p className="font-medium [overflow-wrap:anywhere]">{site.subject}</p>
          <MessageBody html={site.html} />
        </>
      )
    );
  if (form === 'mail') return mail && <Letter subject={mail.subject} html={mail.html} label={label} />;
  if (form === 'text') return mail && <Plain>{`${mail.subject}\n\n${mail.text}`}</Plain>;
  if (form === 'chat') return chat !== null && <Plain>{chat}</Plain>;
  return webhook !== null && <Plain>{readableJson(webhook)}</Plain>;
}

/** One form of a message in one language; nothing if the message does not have it. */
export function FormOfMessage({
  form,
  forms,
  label,
}: {
  readonly form: Form;
  readonly forms: MessageForms;
  /** Name of the message, for screen readers. */
  readonly label: string;
}) {
  const content = contentOf(form, forms, `${NAMES[form]}: ${label}`);
  if (!content) return null;
  return (
    <section
      className="grid min-w-0 grid-cols-1 content-start gap-1.5"
      aria-label={`${NAMES[form]}: ${label}`}
    >
      <h3 className="text-meta text-ink-3">{NAMES[form]}</h3>
      {content}
    </section>
  );
}

export const nameOfForm = (form: Form): string => NAMES[form];
