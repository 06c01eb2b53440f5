// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/theme.h"

#include <QFile>
#include <QPainter>
#include <QStyleFactory>
#include <QSvgRenderer>

#include "app/model/wording/colours.h"
#include "app/model/wording/text_scale.h"

namespace divisi::shell {

namespace {

QPalette palette_of(const model::Colours& colours) {
    QPalette palette;
    palette.setColor(QPalette::Window, colours.surface);
    palette.setColor(QPalette::WindowText, colours.text);
    palette.setColor(QPalette::Base, colours.ground);
    palette.setColor(QPalette::AlternateBase, colours.surface);
    palette.setColor(QPalette::Text, colours.text);
    palette.setColor(QPalette::PlaceholderText, colours.faint);
    palette.setColor(QPalette::Button, colours.raised);
    palette.setColor(QPalette::ButtonText, colours.text);
    palette.setColor(QPalette::BrightText, colours.bad);
    palette.setColor(QPalette::ToolTipBase, colours.raised);
    palette.setColor(QPalette::ToolTipText, colours.text);
    palette.setColor(QPalette::Highlight, colours.accent);
    palette.setColor(QPalette::HighlightedText, colours.on_accent);
    palette.setColor(QPalette::Link, colours.accent);
    palette.setColor(QPalette::Mid, colours.line);
    palette.setColor(QPalette::Light, colours.raised);
    palette.setColor(QPalette::Midlight, colours.line);
    palette.setColor(QPalette::Dark, colours.line);
    palette.setColor(QPalette::Shadow, colours.ground);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, model::disabled_text(colours));
    return palette;
}

constexpr int title_pixels = 22;
constexpr int half_light = 128;  ///< middle of the range of QColor::lightness()

/// Whether apply_theme() has set a palette. Before, the program uses the desktop's palette.
bool has_own_palette = false;

/// Spacing follows a grid of 8 pixels. @names are replaced by colours.
constexpr const char* sheet = R"(
QMainWindow::separator { background: @line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @accent; }
QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; font-weight: 600; }
QDockWidget::title { background: @surface; padding: 8px; border-bottom: 1px solid @line; }
QToolBar { background: @surface; border: none; border-bottom: 1px solid @line; padding: 4px 8px; spacing: 4px; }
QToolBar::separator { background: @line; width: 1px; margin: 4px 6px; }
QToolButton { border: 1px solid transparent; border-radius: 6px; padding: 5px 8px; }
QToolButton:hover, QToolButton:focus { background: @raised; border-color: @line; }
QToolButton:checked, QToolButton:pressed { background: @raised; border-color: @accent; }
QToolButton[popupMode="1"] { background: @raised; border-color: @line; padding-right: 24px; }
QToolButton::menu-button { border: none; border-left: 1px solid @line; width: 18px; }
QToolButton::menu-arrow { image: none; width: 0; height: 0; border-left: 4px solid @raised;
  border-right: 4px solid @raised; border-top: 5px solid @faint; }
QMenuBar { background: @surface; border-bottom: 1px solid @line; padding: 2px 4px; }
QMenuBar::item { padding: 4px 10px; border-radius: 4px; }
QMenuBar::item:selected { background: @raised; }
QMenu { background: @raised; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 6px 32px 6px 24px; border-radius: 4px; }
QMenu::item:selected { background: @accent; color: @on_accent; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QStatusBar { background: @surface; border-top: 1px solid @line; }
QStatusBar::item { border: none; }
QLineEdit, QComboBox, QSpinBox, QPlainTextEdit { background: @ground; border: 1px solid @line; border-radius: 6px;
  padding: 5px 8px; selection-background-color: @accent; selection-color: @on_accent; }
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QPlainTextEdit:focus { border-color: @accent; }
QLineEdit[invalid="true"], QComboBox[invalid="true"], QSpinBox[invalid="true"] { border-color: @bad; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: none; width: 0; height: 0; border-left: 4px solid @ground;
  border-right: 4px solid @ground; border-top: 5px solid @faint; margin-right: 8px; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @line; outline: none; }
QSpinBox::up-button, QSpinBox::down-button { border: none; background: transparent; width: 16px; }
QSpinBox::up-arrow { image: none; width: 0; height: 0; border-left: 3px solid @ground; border-right: 3px solid @ground;
  border-bottom: 4px solid @faint; }
QSpinBox::down-arrow { image: none; width: 0; height: 0; border-left: 3px solid @ground;
  border-right: 3px solid @ground; border-top: 4px solid @faint; }
QPushButton { background: @raised; border: 1px solid @line; border-radius: 6px; padding: 6px 16px; }
QPushButton::menu-indicator { subcontrol-origin: padding; subcontrol-position: center right; right: 2px; }
QPushButton:hover { border-color: @faint; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled, QToolButton:disabled { color: @faint; }
QPushButton[primary="true"] { background: @accent; color: @on_accent; border-color: @accent; font-weight: 600; }
QPushButton[primary="true"]:disabled { background: @raised; color: @faint; border-color: @line; }
QTableView, QTreeView, QListView { background: @ground; border: none; outline: none; gridline-color: @line;
  alternate-background-color: @surface; selection-background-color: @chosen; selection-color: @text; }
QTableView::item, QTreeView::item { border: none; padding: 2px 6px; }
QListView::item { padding: 6px 8px; border-radius: 4px; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected { background: @chosen; }
QTableView::indicator { width: 11px; height: 11px; border: 1px solid @faint; border-radius: 3px; }
QTableView::indicator:checked { background: @accent; border-color: @accent; }
QCheckBox::indicator { width: 13px; height: 13px; background: @ground; border: 1px solid @faint; border-radius: 3px; }
QCheckBox::indicator:focus, QCheckBox::indicator:hover { border-color: @accent; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; }
QHeaderView::section { background: @surface; color: @faint; border: none; border-bottom: 1px solid @line;
  padding: 6px 6px; font-weight: 600; }
QTabBar::tab { background: transparent; color: @faint; padding: 8px 12px; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:hover { color: @text; }
QTabBar QToolButton { background: @ground; border: 1px solid @line; border-radius: 4px; padding: 0; margin: 6px 1px; }
QTabBar QToolButton:disabled { border-color: @ground; }
QTabBar QToolButton::left-arrow, QTabBar QToolButton::right-arrow { image: none; width: 0; height: 0;
    border-top: 4px solid @ground; border-bottom: 4px solid @ground; }
QTabBar QToolButton::left-arrow:enabled { border-right: 5px solid @text; }
QTabBar QToolButton::right-arrow:enabled { border-left: 5px solid @text; }
QTabWidget::pane { border: none; border-top: 1px solid @line; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 4px; margin: 2px; min-height: 32px; min-width: 32px; }
QScrollBar::handle:hover { background: @faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: none; }
QToolTip { background: @raised; color: @text; border: 1px solid @line; padding: 6px 8px; }
QProgressBar { background: @ground; border: 1px solid @line; border-radius: 5px; text-align: center; }
QProgressBar::chunk { background: @done; border-radius: 4px; }
QGroupBox { border: none; margin-top: 28px; font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; left: 0; top: 4px; }
QLabel[role="dock"] { background: @surface; font-weight: 600; padding: 8px 16px; border-bottom: 1px solid @line; }
QLabel[role="faint"] { color: @faint; }
QLabel[role="error"] { color: @bad; }
QLabel[role="title"] { font-size: @title_pxpx; font-weight: 600; }
QLabel[role="heading"] { font-weight: 600; }
QFrame#messageBar { background: @raised; border: none; border-left: 4px solid @bad; }
QFrame#messageBar[kind="progress"], QFrame#messageBar[kind="notice"] { border-left-color: @accent; }
QFrame#recutBar { background: @raised; border: none; border-left: 4px solid @accent; }
QToolButton[guided="true"] { border: 2px solid @accent; border-radius: 6px; }
QToolButton#recordingSign { color: @bad; font-weight: 600; }
QWidget#welcomePage { background: @ground; }
QDialog { background: @surface; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
)";

}  // namespace

Theme parse_theme(const QString& name) { return name == QStringLiteral("light") ? Theme::light : Theme::dark; }

QString name(Theme theme) { return theme == Theme::light ? QStringLiteral("light") : QStringLiteral("dark"); }

Theme system_theme() {
    const QPalette ours = QApplication::palette();
    if (has_own_palette) QApplication::setPalette(QPalette());
    const bool dark = QApplication::palette().color(QPalette::Window).lightness() < half_light;
    if (has_own_palette) QApplication::setPalette(ours);
    return dark ? Theme::dark : Theme::light;
}

void apply_theme(QApplication& application, Theme theme) {
    const model::Colours& colours = theme == Theme::dark ? model::dark_colours() : model::light_colours();
    QString text = QString::fromUtf8(sheet);
    // Longer names come first, so that no name is replaced as the prefix of a longer name.
    const std::pair<const char*, QColor> names[] = {{"@chosen", model::chosen_ground(colours)},
                                                    {"@done", model::done_ground(colours)},
                                                    {"@on_accent", colours.on_accent},
                                                    {"@accent", colours.accent},
                                                    {"@surface", colours.surface},
                                                    {"@ground", colours.ground},
                                                    {"@raised", colours.raised},
                                                    {"@line", colours.line},
                                                    {"@text", colours.text},
                                                    {"@faint", colours.faint},
                                                    {"@bad", colours.bad}};
    for (const auto& [key, colour] : names) text.replace(QLatin1String(key), colour.name());
    text.replace(QStringLiteral("@title_px"), QString::number(model::scaled_px(title_pixels)));
    // Qt matches the rules with all widgets again, which takes a third of the time to open a window.
    if (has_own_palette && application.styleSheet() == text) return;
    has_own_palette = true;
    application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.setPalette(palette_of(colours));
    application.setStyleSheet(text);
}

QIcon themed_icon(const QString& name, const QPalette& palette) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (name.isEmpty() || !file.open(QIODevice::ReadOnly)) return {};
    const QByteArray source = file.readAll();
    QIcon icon;
    for (const auto mode : {QIcon::Normal, QIcon::Disabled}) {
        const auto group = mode == QIcon::Normal ? QPalette::Active : QPalette::Disabled;
        const QColor colour = palette.color(group, QPalette::ButtonText);
        QByteArray coloured = source;
        coloured.replace("currentColor", colour.name().toLatin1());
        QSvgRenderer renderer(coloured);
        for (const int size : {16, 20, 24, 40, 64}) {
            QPixmap pixmap(size, size);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            painter.setOpacity(colour.alphaF());
            renderer.render(&painter);
            painter.end();
            icon.addPixmap(pixmap, mode);
        }
    }
    return icon;
}

}  // namespace divisi::shell
