import { port } from './config';

export function start(log) {
  const app = create();
  app.listen(port);
  return app;
}

export function stop(app) {
  app.close();
}
