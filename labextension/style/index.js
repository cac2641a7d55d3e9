import './panel.css';
import './card.css';
import './status.css';
import './files.css';
import './activity.css';
import './notice.css';
