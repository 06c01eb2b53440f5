// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <string>

#include "app/model/graph_document.h"
#include "backend/plan/task_graph.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// The task that is being written: a spec, the file it came from, and what is wrong with it. Cuts and painted segments
/// live in the graph document and join the spec when it is saved or run.
class TaskDraft : public QObject {
    Q_OBJECT
public:
    explicit TaskDraft(GraphDocument& document, QObject* parent = nullptr);

    const task::TaskSpec& spec() const { return spec_; }
    void set_spec(task::TaskSpec spec);
    /// Relative paths of the spec start here.
    const QString& folder() const { return folder_; }
    const QString& path() const { return path_; }
    bool modified() const { return modified_; }
    void mark_modified();
    /// Whether operators of this name or pattern ("/scope/*") stay on secure nodes, and to change that.
    bool is_sensitive(const std::string& pattern) const;
    void set_sensitive(const std::string& pattern, bool sensitive);

    /// Reads a task file; the error names file and line, and nothing has changed then.
    Result<void> open(const QString& path);
    /// Writes spec and cuts or painted segments, whole or not at all. Relative paths keep their files when the
    /// folder changes.
    Result<void> save(const QString& path);
    /// The task file as save() would write it.
    QString text() const;

    /// The plan as a graph of units, for the open model; fails as compile() does.
    Result<plan::TaskGraph> task_graph() const;

    /// What the model section asks for, with the sizes of one micro-batch.
    ModelSource wanted_model() const;
    /// Takes over a model that was opened otherwise.
    void use_model(const ModelSource& source);

    /// Messages by "section.key", for fields and for what the model says about them.
    std::map<std::string, QString> problems() const;

Q_SIGNALS:
    void specChanged();   ///< replaced as a whole: editors read it anew
    void stateChanged();  ///< path or modified

private:
    task::TaskSpec with_split() const;
    std::string resolved(const std::string& path) const;

    GraphDocument& document_;
    task::TaskSpec spec_;
    QString path_, folder_;
    bool modified_ = false;
};

/// What the model section of a task asks for, with the sizes of one micro-batch; its file relative to `folder`.
ModelSource source_of(const task::TaskSpec& spec, const QString& folder);

/// The spec of a fresh task: small enough to run on a laptop in a minute.
task::TaskSpec fresh_task();

}  // namespace divisi::model
