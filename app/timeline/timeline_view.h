// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "app/model/link_wires.h"
#include "app/model/selection.h"
#include "app/model/stage_loads.h"
#include "app/model/time_cursor.h"
#include "app/timeline/live_spans.h"
#include "app/timeline/step_box.h"
#include "app/timeline/timeline_canvas.h"
#include "app/timeline/timeline_source.h"

namespace divisi::timeline {

/// What every instance does in a step: the plan on screen or a task's, as the simulator predicts it, and beside it what
/// the instances of a running task measure, or what a trace of them measured where one was opened. A table sums the
/// range that is selected, else the step. What instances of a running task report of themselves (shares of computing
/// and waiting, bytes) stands in it too.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    TimelineView(model::GraphDocument& document, model::TaskDraft& draft, client::Client* client,
                 model::PlanningService& planning, QWidget* parent = nullptr);

    /// From now on the plan of this task; empty: that on screen.
    void show_task(const TaskId& task);
    /// The lane of the selected instance is marked, or of the one that runs the selected unit, and the selected step of
    /// the task is shown where it was measured. They must outlive the view.
    void use_selection(model::Selection& selection);
    /// From now on waits for what comes over the selected link are framed. `wires` outlives the view.
    void use_wires(const model::LinkWires& wires);
    void use_cursor(model::TimeCursor& cursor);

    TimelineCanvas& canvas() { return *canvas_; }
    /// The folder that DIVISI_TRACE named while the task ran. It is read beside the GUI thread; then it shows, or a
    /// sentence why it cannot.
    void open_trace(const QString& folder);
    /// Writes all that is shown as a Chrome trace, likewise.
    void save_trace(const QString& file);

Q_SIGNALS:
    /// A menu is about to open: whoever can do more with what is selected adds it.
    void menuOpens(QMenu* menu);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// A trace as it was read, and its timeline, whose waits are split by `programs` where they fit.
    struct Traced {
        std::shared_ptr<const std::vector<model::Span>> operations;
        std::shared_ptr<const plan::Programs> programs;
        std::shared_ptr<const model::Timeline> timeline;
    };
    static Traced traced(std::shared_ptr<const std::vector<model::Span>> operations,
                         std::shared_ptr<const plan::Programs> programs);
    void build();
    void connect_parts();
    void watch();
    void refresh();
    void show_steps();
    void show_title();
    QString why_no_step() const;
    void make_measured();
    void mark_wires();
    void take_trace(Traced trace);
    void split_trace();
    void close_trace();
    std::shared_ptr<const plan::Programs> programs() const;
    std::vector<Track> tracks() const;
    bool shows_trace() const { return trace_.operations != nullptr; }
    const control::TaskView* task() const;
    void choose_step(int step);
    void show_selected(const model::Selected& now);
    const model::StepSpan* measured_step() const;
    std::vector<std::int32_t> sorted_instances(const std::vector<model::TimelineSums>& sums) const;
    QVariant key_of(std::int32_t instance, int column, const std::vector<model::TimelineSums>& sums) const;
    void fill_table();
    void fill_stale_table();
    void fill_row(int row, std::int32_t instance, const std::vector<model::TimelineSums>& sums);
    void set_cell(int row, int column, const QString& text);
    model::StageLoad reported(std::int32_t stage) const;
    void fill_last_row(int row, const std::vector<model::TimelineSums>& sums);
    QString table_text() const;
    void open_menu(const QPoint& global, std::optional<std::int32_t> instance);
    void show_moment();
    void press_instance(int instance);
    void ask_for_trace();
    void ask_for_export();
    void say(const QString& text, bool problem);
    void retranslate();

    client::Client* client_;
    TimelineSource source_;
    LiveSpans live_;
    QPointer<model::Selection> selection_;
    const model::LinkWires* wires_ = nullptr;
    QPointer<model::TimeCursor> moment_;
    TaskId followed_;                                  ///< that can be chosen beside the plan on screen
    Traced trace_;                                     ///< no operations: none is open
    std::shared_ptr<const model::Timeline> measured_;  ///< made of them, or live; null: there is none
    QComboBox* whose_;
    QLabel *title_, *step_label_, *legend_, *problem_;
    StepBox* step_;
    QPushButton *open_, *close_, *export_;
    TimelineCanvas* canvas_;
    QTableWidget* table_;
    QSplitter* split_;
    bool stale_ = false;  ///< the table has not what it should, as nobody looked
    model::PlanningLine reading_, splitting_, writing_;
};

}  // namespace divisi::timeline
