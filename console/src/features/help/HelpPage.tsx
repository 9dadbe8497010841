import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { PageHeader } from '#/ui/page';
import { Tabs } from '#/ui/tabs';
import { Documentation } from './Documentation';
import { Enterprise } from './Enterprise';
import { Support } from './Support';

const TOPICS = ['docs', 'support', 'enterprise'] as const;
type Topic = (typeof TOPICS)[number];

function topicOf(text: string | undefined): Topic {
  return TOPICS.find((topic) => topic === text) ?? 'docs';
}

const CONTENT: Record<Topic, () => React.ReactNode> = {
  docs: () => <Documentation />,
  support: () => <Support />,
  enterprise: () => <Enterprise />,
};

/** Help is served by the console itself: a bastion often has no access to other sites. */
export function HelpPage() {
  const t = useT();
  const navigate = useNavigate();
  const { topic }: { topic?: string } = useSearch({ strict: false });
  // i18n: help:topic.*
  return (
    <div className="grid max-w-[960px] grid-cols-[minmax(0,1fr)] gap-2">
      <PageHeader title={t('nav:help')} />
      <Tabs
        label={t('nav:help')}
        selected={topicOf(topic)}
        onSelect={(next) => void navigate({ to: '/help', search: { topic: next }, replace: true })}
        tabs={TOPICS.map((id) => ({ id, label: t(`help:topic.${id}`), content: CONTENT[id]() }))}
      />
    </div>
  );
}
