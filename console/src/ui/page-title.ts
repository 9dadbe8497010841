import { useEffect } from 'react';
import { create } from 'zustand';

interface PageState {
  /** Title of the open page, for breadcrumb and document title. */
  readonly title: string | null;
  /** Path of a form that was saved and left; its view can be closed. */
  readonly finished: string | null;
}

export const usePage = create<PageState>(() => ({ title: null, finished: null }));

/** Sets the document title and the last breadcrumb. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    usePage.setState({ title });
    document.title = `${title} - Postern`;
  }, [title]);
}
