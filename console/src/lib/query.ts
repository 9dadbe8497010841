import { QueryClient } from '@tanstack/react-query';

/** One client for the console. No retries: the specification says 0, and a failing server is not helped by more calls. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 10_000, gcTime: 300_000 },
    mutations: { retry: false },
  },
});
