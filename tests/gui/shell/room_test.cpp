// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that texts have enough room: in every workspace, in each language and a longer one, on small and large screens.
// The tests gui_room_scale_* repeat these tests at 150 % and 200 %.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QHeaderView>
#include <QLabel>
#include <QTabBar>
#include <QToolButton>

#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/longer_texts.h"
#include "tests/gui/scripted_mesh.h"
#include "tests/support/test_program.h"

namespace room_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

/// Pixels that the theme adds to the text of a header section, and pixels for the arrow of the sorted section.
constexpr int section_padding = 6, sort_arrow = 12;
/// Time for widgets that are laid out slightly later than the window is resized.
constexpr int patience_ms = 1500;

/// Returns how much of a widget its parents leave visible. Along an axis that scrolls, the whole widget counts.
QSize room_of(const QWidget& widget) {
    QRect seen = widget.rect();
    bool across = true, down = true;
    for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget()) {
        const auto* area = qobject_cast<const QAbstractScrollArea*>(parent->parentWidget());
        if (area && area->viewport() == parent) {
            across = across && area->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff;
            down = down && area->verticalScrollBarPolicy() == Qt::ScrollBarAlwaysOff;
        }
        const QRect left = seen & parent->rect().translated(-widget.mapTo(parent, QPoint()));
        if (across) seen = QRect(left.left(), seen.top(), left.width(), seen.height());
        if (down) seen = QRect(seen.left(), left.top(), seen.width(), left.height());
        if (parent->isWindow()) break;
    }
    return seen.size();
}

/// Returns the names of a widget and of its nearest named parent, such as "QLabel stagesLabel in splitPanel".
QString name_of(const QWidget& widget) {
    QString name = QString::fromLatin1(widget.metaObject()->className()) + u' ' + widget.objectName();
    for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget())
        if (!parent->objectName().isEmpty() && !parent->objectName().startsWith(QStringLiteral("qt_")))
            return name + QStringLiteral(" in ") + parent->objectName();
    return name;
}

/// Collects texts without enough room, each with the room that it needs and has.
class CutOff {
public:
    explicit CutOff(const QWidget& window) {
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->window() != &window || widget->visibleRegion().isEmpty()) continue;
            if (const auto* label = qobject_cast<const QLabel*>(widget)) look_at(*label);
            if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) look_at(*button);
            if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) look_at(*tabs);
            if (const auto* header = qobject_cast<const QHeaderView*>(widget)) look_at(*header);
        }
    }
    const QStringList& found() const { return found_; }

private:
    void note(const QWidget& widget, const QString& text, QSize needs, QSize has) {
        if (needs.width() <= has.width() && needs.height() <= has.height()) return;
        found_ << QStringLiteral("%1: \"%2\" needs %3 x %4, has %5 x %6")
                      .arg(name_of(widget), text, QString::number(needs.width()), QString::number(needs.height()),
                           QString::number(has.width()), QString::number(has.height()));
    }
    /// Checks a label. If its text is wrapped, the longest word must fit.
    void look_at(const QLabel& label) {
        const QString text = label.text();
        // the tool tip has the whole text
        if (text.isEmpty() || is_in_cell(label) || label.toolTip().contains(text)) return;
        if (label.wordWrap()) note(label, text, {label.minimumSizeHint().width(), 0}, room_of(label));
        else note(label, text, label.sizeHint(), room_of(label));
    }
    void look_at(const QAbstractButton& button) {
        const auto* tool = qobject_cast<const QToolButton*>(&button);
        const bool icon_only = tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull();
        if (button.text().isEmpty() || icon_only || is_in_cell(button)) return;
        note(button, button.text(), button.sizeHint(), room_of(button));
    }
    /// Checks tabs. If tabs can be scrolled, each is as wide as its text.
    void look_at(const QTabBar& tabs) {
        if (tabs.count() == 0 || (tabs.elideMode() == Qt::ElideNone && tabs.usesScrollButtons())) return;
        QStringList texts;
        for (int i = 0; i < tabs.count(); ++i) texts << tabs.tabText(i);
        note(tabs, texts.join(QStringLiteral(" | ")), tabs.sizeHint(), room_of(tabs));
    }
    void look_at(const QHeaderView& header) {
        if (header.orientation() != Qt::Horizontal || !header.model()) return;
        QFont font = header.font();
        font.setWeight(QFont::DemiBold);
        for (int section = 0; section < header.count(); ++section) {
            const int left = header.sectionViewportPosition(section), width = header.sectionSize(section);
            if (header.isSectionHidden(section) || left < 0 || left >= header.viewport()->width()) continue;
            const QString text = header.model()->headerData(section, Qt::Horizontal).toString();
            const QString tip = header.model()->headerData(section, Qt::Horizontal, Qt::ToolTipRole).toString();
            if (text.isEmpty() || tip.contains(text)) continue;
            const bool sorted = header.isSortIndicatorShown() && header.sortIndicatorSection() == section;
            const int needs = QFontMetrics(font).size(0, text).width() + 2 * section_padding;
            note(header, text, {needs + (sorted ? sort_arrow : 0), 0}, {width, 0});
        }
    }
    static bool is_in_cell(const QWidget& widget) {
        for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget())
            if (const auto* view = qobject_cast<const QAbstractItemView*>(parent->parentWidget()))
                if (view->viewport() == parent) return true;
        return false;
    }

    QStringList found_;
};

/// Returns the texts that are cut off in the workspaces at this size. Waits for late layouts.
QStringList cut_off(testing::Console& console, QSize size) {
    QStringList all;
    for (const shell::Workspace workspace : shell::all_workspaces) {
        console.window->set_workspace(workspace);
        console.window->resize(size);
        QStringList found;
        (void)QTest::qWaitFor(
            [&] {
                found = CutOff(*console.window).found();
                return found.isEmpty();
            },
            patience_ms);
        if (console.window->size() != size)
            found << QStringLiteral("the window needs %1 x %2")
                         .arg(console.window->width())
                         .arg(console.window->height());
        const QString name = shell::name(workspace);
        for (const QString& one : found) all << name + QStringLiteral(": ") + one;
        console.shot(qPrintable(QStringLiteral("room-%1-%2").arg(QLatin1String(QTest::currentDataTag()), name)));
    }
    return all;
}

}  // namespace

class RoomTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void no_text_is_clipped_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("language");
        for (const QSize size : {QSize(1366, 768), QSize(1280, 720), QSize(3840, 2160)})
            for (const char* language : {"en", "zh_CN", "longer"})
                QTest::addRow("%d-%s", size.width(), language) << size << QString::fromLatin1(language);
    }

    void no_text_is_clipped() {
        QFETCH(const QSize, size);
        QFETCH(const QString, language);
        if (qApp->devicePixelRatio() > 1 && size.width() > 2000) QSKIP("no screen has so many points");
        testing::ConnectedConsole shown;
        shown.cluster.play();
        testing::ScriptedMesh mesh(shown.cluster);
        mesh.tell();
        shown.console.show_chain();
        testing::LongerTexts longer;
        const QString usual = shown.console.action("run")->text();
        if (language == QStringLiteral("longer")) QVERIFY(QCoreApplication::installTranslator(&longer));
        else shown.console.window->set_language(language);
        if (language != QStringLiteral("en")) QTRY_VERIFY(shown.console.action("run")->text() != usual);
        const QStringList found = cut_off(shown.console, size);
        QCoreApplication::removeTranslator(&longer);
        shown.console.window->set_language(QStringLiteral("en"));
        for (const QString& one : found) qWarning().noquote() << one;
        QCOMPARE(found, QStringList());
    }

    /// Checks that this test can find a text without enough room.
    void clipped_text_is_detected() {
        QWidget window;
        auto* label = new QLabel(QStringLiteral("more than there is room for"), &window);
        auto* button = new QToolButton(&window);
        button->setText(QStringLiteral("Outside"));
        window.resize(300, 100);
        label->setGeometry(0, 0, 40, 30);
        button->setGeometry(290, 40, 200, 60);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const QStringList found = CutOff(window).found();
        QCOMPARE(found.size(), 2);
        QVERIFY2(found[0].contains(QStringLiteral("has 40 x 30")), qPrintable(found[0]));
        QVERIFY2(found[1].contains(QStringLiteral("has 10 x 60")), qPrintable(found[1]));
        label->resize(label->sizeHint());
        button->move(10, 40);
        QCOMPARE(CutOff(window).found(), QStringList());
    }
};

DIVISI_WINDOW_TEST(RoomTest)

}  // namespace room_test

#include "room_test.moc"
