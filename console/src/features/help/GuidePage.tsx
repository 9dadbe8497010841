import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { explain } from '#/lib/http/catalogue';
import { currentLanguage, type Language, useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { PageHeader } from '#/ui/page';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { type GuideText, guideQuery } from './guides';
import { Markdown, titleOf } from './Markdown';

const TAG: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' };

function Guide({ guide, section }: { readonly guide: GuideText; readonly section: string }) {
  const t = useT();
  // The heading named in the address exists only after rendering.
  useEffect(() => {
    if (location.hash !== '')
      document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }, [guide]);
  return (
    <>
      {guide.language !== currentLanguage() && <Note tone="info">{t('help:guide.not_translated')}</Note>}
      <Card>
        <article lang={TAG[guide.language]} className="max-w-[72ch]">
          <Markdown text={guide.text} section={section} />
        </article>
      </Card>
    </>
  );
}

/** One guide of this version. */
export function GuidePage() {
  const t = useT();
  const { section = '', name = '' }: { section?: string; name?: string } = useParams({ strict: false });
  const guide = useQuery(guideQuery(section, name, currentLanguage()));
  const title = guide.data ? titleOf(guide.data.text) : t('nav:help_guide');
  return (
    <div className="grid max-w-[960px] grid-cols-[minmax(0,1fr)] gap-3">
      <PageHeader title={title} back={{ to: paths.help('docs'), label: t('nav:help') }} />
      {guide.isPending && <SkeletonLines lines={12} />}
      {guide.isError && (
        <FailedState
          title={t('help:guide.failed')}
          message={explain(guide.error)}
          onRetry={() => void guide.refetch()}
        />
      )}
      {guide.data === null && <StateView drawing="no-match" title={t('help:guide.unknown')} />}
      {guide.data && <Guide guide={guide.data} section={section} />}
    </div>
  );
}
