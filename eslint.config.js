import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * Only what needs types: Biome does everything else. A forgotten `await` is the classic bug of a job queue,
 * so every rule here is an error.
 */
export default defineConfig(
  { ignores: ['dist/**', 'coverage/**', 'reports/**'] },
  {
    files: ['{src,queues,processors,config,bench,scripts,test}/**/*.ts'],
    languageOptions: { parser: tseslint.parser, parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/return-await': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'error',
    },
  },
  // vitest types its matchers (`expect.stringContaining`) and JSON.parse in expectations as any; there it hides nothing.
  { files: ['test/**/*.ts'], rules: { '@typescript-eslint/no-unsafe-assignment': 'off' } },
);
