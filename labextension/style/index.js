import './panel.css';
import './card.css';
import './status.css';
