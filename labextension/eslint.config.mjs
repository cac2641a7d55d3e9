/** What `npm run lint:code` refuses. */
import js from '@eslint/js';
import jupyter from '@jupyter/eslint-plugin';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig([
  globalIgnores(['dist', 'lib']),
  js.configs.recommended,
  tseslint.configs.recommended,
  jupyter.configs.recommended,
  {
    plugins: { jupyter },
    rules: {
      curly: ['error', 'all'],
      eqeqeq: 'error',
      'max-lines': ['error', 200]
    }
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: 'tsconfig.test.json' } },
    rules: {
      // A token and its interface share one name, as everywhere in Jupyter.
      '@typescript-eslint/no-redeclare': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        }
      ]
    }
  }
]);
