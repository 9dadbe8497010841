import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { loadNamespaces } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { Card } from '#/ui/card';
import { Segmented } from '#/ui/choice';
import { Select } from '#/ui/select';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { FormOfMessage, nameOfForm } from './FormOfMessage';
import { type ExampleMessage, fetchMessages, type Form, FORMS, type Language, LANGUAGES } from './messages';

/* Development only: every message of the server in every form and language. Its words are not texts of the product. */

const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', 'zh-hans': '中文' };
const LANGUAGE_OPTIONS = [
  { value: '', label: 'Both languages' },
  ...LANGUAGES.map((language) => ({ value: language, label: LANGUAGE_NAMES[language] })),
];
const FORM_OPTIONS = [
  { value: '', label: 'All forms' },
  ...FORMS.map((form) => ({ value: form, label: nameOfForm(form) })),
];

function Message({
  message,
  languages,
  forms,
}: {
  readonly message: ExampleMessage;
  readonly languages: readonly Language[];
  readonly forms: readonly Form[];
}) {
  return (
    <Card title={`${message.message_type} ${message.number}`} aside={message.audience}>
      <div className={`grid grid-cols-1 gap-4 ${languages.length > 1 ? 'lg:grid-cols-2' : ''}`}>
        {languages.map((language) => {
          const inLanguage = message.languages[language];
          const label = `${message.labels[language]} (${LANGUAGE_NAMES[language]}, ${message.number})`;
          return (
            <div key={language} lang={language} className="grid min-w-0 grid-cols-1 content-start gap-3">
              <p className="text-ink-2">{message.labels[language]}</p>
              {inLanguage &&
                forms.map((form) => (
                  <FormOfMessage key={form} form={form} forms={inLanguage} label={label} />
                ))}
            </div>
          );
        })}
      </div>
    </Card>
  );
}

function Messages() {
  const [language, setLanguage] = useState('');
  const [form, setForm] = useState('');
  const query = useQuery({ queryKey: ['message-gallery'], queryFn: fetchMessages, retry: false });
  if (query.error)
    return (
      <FailedState
        title="The messages cannot be read. Sign in as a super administrator of a server that runs with make dev."
        message={explain(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  if (!query.data) return <SkeletonLines lines={8} />;
  return (
    <>
      <div className="mb-4 flex flex-wrap gap-3">
        <Segmented label="Language" options={LANGUAGE_OPTIONS} value={language} onChange={setLanguage} />
        <Select label="Form" options={FORM_OPTIONS} value={form} onChange={setForm} />
      </div>
      <div className="grid grid-cols-1 gap-4">
        {query.data.map((message) => (
          <Message
            key={`${message.message_type} ${message.number}`}
            message={message}
            languages={LANGUAGES.filter((code) => language === '' || code === language)}
            forms={FORMS.filter((shape) => form === '' || shape === form)}
          />
        ))}
      </div>
    </>
  );
}

export function MessageGallery() {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    document.title = 'Messages - Postern';
    void loadNamespaces(['app', 'ui', 'messages']).then(() => setReady(true));
  }, []);
  if (!ready) return null;
  return (
    <QueryClientProvider client={queryClient}>
      <main className="p-6 max-sm:p-3">
        <h1 className="mb-4 text-title">Messages</h1>
        <Messages />
      </main>
    </QueryClientProvider>
  );
}
