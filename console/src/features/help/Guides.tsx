import { useQuery } from '@tanstack/react-query';
import { currentLanguage, useT } from '#/lib/i18n';
import { Card } from '#/ui/card';
import { SkeletonLines } from '#/ui/skeleton';
import { guideIndexQuery } from './guides';
import { Markdown } from './Markdown';

/** List of the guides with their descriptions. Each guide is a page of the console. */
export function Guides() {
  const t = useT();
  const index = useQuery(guideIndexQuery(currentLanguage())).data;
  return (
    <Card title={t('help:guide.title')}>
      {index ? (
        <div lang={index.language === 'zh' ? 'zh-CN' : 'en'}>
          <Markdown text={index.text} section="guide" />
        </div>
      ) : (
        <SkeletonLines lines={6} />
      )}
    </Card>
  );
}
